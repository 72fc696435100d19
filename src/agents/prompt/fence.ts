// Marks text that others wrote, so that a model can tell it from its task; the marks hold an unguessable word.

/** What kind of text stands between two marks. */
export type FencedKind = "change" | "files" | "diff" | "instructions" | "dismissed" | "open" | "found" | "answers";

export interface Fence {
  /** How the marks look, for the task that explains them. */
  readonly opening: string;
  readonly closing: string;
  /** The text between marks; nothing in it can look like one of them. */
  wrap(kind: FencedKind, text: string): string;
}

/** @param nonce an unguessable word of letters and digits, fresh for every pass. */
export function createFence(nonce: string): Fence {
  const word = `data-${nonce}`;
  const opening = `<${word}>`;
  const closing = `</${word}>`;
  return {
    opening,
    closing,
    wrap: (kind, text) => `<${word} kind="${kind}">\n${text.replaceAll(nonce, "***")}\n${closing}`,
  };
}

/** A path as one line, whatever characters it has. */
export function shownPath(path: string): string {
  // JSON leaves the separators that some readers take for line breaks, and what turns the direction of text.
  return JSON.stringify(path).replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
