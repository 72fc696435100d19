// Makes the invisible visible and mass mentions inert in every piece of text that enters a card.

/**
 * C0 controls but tab and newline, DEL, C1 controls, bidirectional embeddings, overrides and isolates, line and paragraph
 * separators, the placeholder characters of templates, and lone surrogates.
 */
const unwelcome =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ue000\ue001]|\p{Surrogate}/u;
const unwelcomeAll = new RegExp(unwelcome, "gu");

/**
 * What a platform could take for a mention of many people (or, as `<@U…>` and `<at …>`, of one): Discord's and Lark's
 * `@everyone @here @all`, Slack's `<!channel> <!subteam^…> <@U…>`, Discord's `<@&id>`, Lark's `<at id=all>`.
 */
const mention =
  /@(?=(?:everyone|here|channel|_?all)\b)|<(?=!(?:channel|everyone|here|subteam\^)|@[!&]?[A-Za-z0-9]|at\s)/gi;

/** U+2060: it has no width and breaks no line, but no platform reads a mention across it. */
const WORD_JOINER = "\u2060";

/** Text as people read it: controls, bidi overrides and lone surrogates shown, mass mentions neutralised by a word joiner after `@` or `<`. */
export function visibleText(text: string): string {
  const shown = visibleCode(text);
  if (!shown.includes("@") && !shown.includes("<")) return shown;
  return shown.replace(mention, (sign) => sign + WORD_JOINER);
}

/**
 * The same for blocks of code, which stay copyable: mentions are left as they are, because no platform reads mentions inside a
 * code block and every channel escapes them anyway.
 */
export function visibleCode(text: string): string {
  return unwelcome.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, "\n").replace(unwelcomeAll, show) : text;
}

/** A single line: line breaks become visible too. For file names and other values that stand inside a line. */
export function visibleLine(text: string): string {
  return visibleText(/[\r\n]/.test(text) ? text.replace(/\r\n?|\n/g, "\u240a") : text);
}

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800) return "\ufffd";
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
