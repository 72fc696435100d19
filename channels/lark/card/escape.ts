// Untrusted text in the platform's dialects: whatever it holds, people see its characters and nothing of it is live.

/** Between two characters so that they mean nothing together; people see nothing of it. */
const APART = "\u200B";

/** Characters with a meaning in the card dialect, as the platform's pages ask for them: by number. */
const special = /[&<>*_~[\]()#|`\\$!]/g;

/**
 * For a `markdown` element. Line ends become `<br>`, because one newline alone is a soft break and two end the paragraph.
 * What stands at the start of a line and means something only there is the caller's (`guardLineStart`).
 */
export function escapeMarkdown(text: string): string {
  return withoutControls(text)
    .replace(special, (character) => `&#${character.codePointAt(0)};`)
    .replace(/:(?=\/\/|[A-Za-z0-9_+-]+:)/g, "&#58;")
    .replace(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`)
    .replace(/\r\n?|\n/g, "<br>");
}

/** List marks, rules under a heading and indented code mean something at the start of a line only. */
export function guardLineStart(markdown: string): string {
  return markdown
    .replace(/^[ \t\u00A0]+/, (spaces) => "&nbsp;".repeat(spaces.length))
    .replace(/^((?:&nbsp;)*)([-+=])/, (_, spaces: string, mark: string) => `${spaces}&#${mark.codePointAt(0)};`)
    .replace(/^((?:&nbsp;)*\d{1,9})\./, "$1&#46;");
}

/** A code span, or escaped text where a span cannot hold it. */
export function inlineCode(text: string): string {
  const bare = withoutControls(text);
  const fits = bare.trim() !== "" && !/[`\r\n|]/.test(bare);
  return fits ? `\`${withoutMentions(bare)}\`` : escapeMarkdown(text);
}

/** A fenced block whose fence is longer than any run of backticks within. */
export function fenced(text: string, language = ""): string {
  const body = withoutMentions(withoutControls(text).replace(/\r\n?/g, "\n"));
  const longest = Math.max(0, ...Array.from(body.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  const named = /^[A-Za-z0-9+#.-]{1,20}$/.test(language) ? language : "";
  return `${fence}${named}\n${body}\n${fence}`;
}

/** For `plain_text` elements and the summary: no markup is read there, and a mention is taken apart all the same. */
export function plainText(text: string): string {
  return withoutMentions(withoutControls(text));
}

/** For messages of type `text`, where mentions, a few tags, links and bold text are read, and nothing can be escaped. */
export function messageText(text: string): string {
  return withoutMentions(withoutControls(text))
    .replace(/<(?=[A-Za-z/!])/g, `<${APART}`)
    .replace(/](?=\()/g, `]${APART}`)
    .replace(/([*~])(?=\1)/g, `$1${APART}`);
}

/** An address that a link or button may open, ready to stand in Markdown; null for other schemes and what is no address. */
export function webAddress(url: string): string | null {
  if (!/^https?:\/\//i.test(url)) return null;
  try {
    return new URL(url).href.replace(/[()<>[\]\\`|*~;'"\s]/g, percent);
  } catch {
    return null;
  }
}

/** Mentions may be looked for before anything else is read, so that not even code is safe from them. */
function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*\/?\s*(?:at|person)\b)/gi, `<${APART}`);
}

function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, "").replace(/\p{Surrogate}/gu, "\uFFFD");
}

function percent(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
}
