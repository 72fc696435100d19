// Words: message texts in the languages of the product, and templates for longer ones.

export { type Locale, locales } from "../core/locale.ts";

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

/**
 * Template output: Markdown of our own in which every value stands as a placeholder (see `slotPlaceholder`), so that no value can
 * change the structure around it.
 */
export interface Rendered {
  readonly markdown: string;
  /** Placeholder text → the value that stands there. */
  readonly slots: ReadonlyMap<string, Slot>;
}

/** A value in a template's place. */
export type Slot =
  /** Literal text. */
  | { readonly kind: "text"; readonly text: string }
  /** Inline code. */
  | { readonly kind: "code"; readonly text: string }
  /** A code block. */
  | { readonly kind: "fence"; readonly text: string; readonly language?: string }
  /** A link of our own; other schemes than http, https and mailto become plain text. */
  | { readonly kind: "link"; readonly text: string; readonly url: string }
  /** Untrusted Markdown: parsed apart and sanitised. */
  | { readonly kind: "markdown"; readonly text: string }
  /** The first line of untrusted Markdown, without blocks. */
  | { readonly kind: "lead"; readonly text: string };

/** The placeholder of the n-th slot: private-use characters that values are cleared of. */
export function slotPlaceholder(index: number): string {
  return `\uE000${index}\uE001`;
}
