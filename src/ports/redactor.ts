// Masks secrets in text before it leaves the process or is kept.

export interface Redactor {
  /** The text with every secret that is recognised replaced by `***`; the length may change. Never throws. */
  redact(text: string): string;
  /** Registers a secret value known by name, so that it is masked wherever it appears. */
  learn(secret: string): void;
}
