// Words: message texts in the languages of the product, and templates for longer ones.

export const locales = ["en", "zh-CN", "vi"] as const;
export type Locale = (typeof locales)[number];

export interface Texts {
  /** The message `key` in `locale` (ICU MessageFormat); falls back to English. Throws on an unknown key. */
  text(key: string, locale: string, params?: Readonly<Record<string, string | number>>): string;
  has(key: string): boolean;
  /**
   * Renders a template to Markdown with slots for untrusted Markdown.
   * `<channel>/<name>.md` shadows `<name>.md`; override folders shadow the built-in one.
   * Throws AppError `config` with file and line for a broken template.
   */
  render(name: TemplateName, model: Readonly<Record<string, unknown>>, options: RenderOptions): Rendered;
}

export type TemplateName = "report" | "problem" | "private" | "failure" | "digest";

export interface RenderOptions {
  readonly locale: string;
  readonly channel?: string;
}

/** Template output: Markdown whose placeholders name pieces of untrusted Markdown, parsed apart and sanitised. */
export interface Rendered {
  readonly markdown: string;
  /** Placeholder text → the untrusted Markdown that stands there. */
  readonly slots: ReadonlyMap<string, string>;
}
