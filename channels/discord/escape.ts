// Discord's Markdown, written so that no text can become more than text: no mention, no link, no format, nothing invisible.

/** U+2060 has no width and breaks no line, and Discord reads nothing across it. */
const JOINER = "\u2060";

/**
 * Invisible signs that reorder or hide text: soft hyphens, fillers, zero-width and direction marks, tags, annotations.
 * U+200D and U+200C stay, because emoji and several scripts are written with them.
 */
const invisible =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
/** C0 and C1 controls but tab and line feed. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The same text without what is invisible; every kind of line end becomes one. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(controls, "")
    .replace(invisible, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Signs that format wherever they stand. */
const marks = /[\\*_~`|[\]<]/;
/** What begins a mention of many people or an invitation, up to where a joiner goes. */
const starts = [
  "@(?=everyone|here)",
  // Invitations are shown without a scheme too.
  "(?<=discord|discordapp)\\.(?=(?:gg|com|me|io|new)\\b)",
];
/** `:100:` is an emoji, also in `file.ts:100:5`; and without its colon, an address is no link. */
const colon = ":(?!\\s)";
/**
 * What is looked for without reading escapes: mentions by Discord's servers, addresses, and the `](` that ends a link's label, which may
 * be a link of ours that began long before. A joiner parts them.
 */
const parted = /\\<(?=[@#/])|\\:(?=\/)|\\\](?=\()/g;

const inline = new RegExp(`(?<mark>${marks.source}|${colon})|(?:${starts.join("|")})`, "giu");
/** A heading, small print, a quote or a list at the beginning of a line, up to the sign that makes it one. */
const lineSign = /^(\s*)(?:[#>+-]|\d+(?=[.)](?:\s|$)))/;

/**
 * @param isLineStart whether the text stands at the beginning of a line, an item or a quote, where more signs mean something.
 */
export function escapeText(text: string, isLineStart: boolean): string {
  return cleanText(text)
    .split("\n")
    .map((line, index) => escapeLine(line, isLineStart || index > 0))
    .join("\n");
}

function escapeLine(line: string, isLineStart: boolean): string {
  const head = isLineStart ? (lineSign.exec(line)?.[0] ?? "") : "";
  const rest = inlineEscaped(line.slice(head.length), line.slice(0, head.length));
  if (head === "") return rest;
  // A number is no sign itself: what follows it is.
  return /\d$/.test(head) ? `${head}\\${rest}` : `${head.slice(0, -1)}\\${head.slice(-1)}${rest}`;
}

function inlineEscaped(text: string, before: string): string {
  // The look-behind needs what stands before.
  return (before + text)
    .replace(inline, (sign, ...given) => {
      const offset = given.at(-3) as number;
      if (offset < before.length) return sign;
      const { mark } = given.at(-1) as { readonly mark?: string };
      return mark === undefined ? sign + JOINER : `\\${sign}`;
    })
    .replace(parted, `$&${JOINER}`)
    .slice(before.length);
}

/** Inline code; empty for no text. A backtick inside needs a longer fence, and two of them a joiner: three would begin a block. */
export function codeSpan(text: string): string {
  const line = labelsApart(cleanText(text).replaceAll("\n", " "));
  if (line === "") return "";
  if (!line.includes("`")) return `\`${line}\``;
  const apart = line.replace(/`(?=`)/g, `\`${JOINER}`);
  const first = apart.startsWith("`") ? JOINER : "";
  const last = apart.endsWith("`") ? JOINER : "";
  return `\`\`${first}${apart}${last}\`\``;
}

/** Code stays as it is, for those who copy it, but for a `](` without its `[`: a link before the code would end there. */
function labelsApart(code: string): string {
  return code.replace(/\]\(/g, (sign, offset: number) => {
    return code.lastIndexOf("[", offset) === -1 ? `]${JOINER}(` : sign;
  });
}

/** A block of code; nothing in it ends it. */
export function fenced(text: string, language = ""): string {
  const inside = labelsApart(cleanText(text)).replace(/`(?=`)/g, `\`${JOINER}`);
  const known = /^[a-z0-9_+.#-]{1,20}$/i.test(language) ? language.toLowerCase() : "";
  // A block without text would be shown as its fences.
  return `\`\`\`${known}\n${inside.trim() === "" ? JOINER : inside}\n\`\`\``;
}

/** An address that may be opened, with everything encoded that could end a link; null for all but http and https. */
export function safeUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return null;
  // `https://bank.example@evil.example` leads elsewhere than it reads.
  if (username !== "" || password !== "") return null;
  return href.replace(/[()<>[\]\\`|*_~"'\s]/g, (sign) => {
    // `_`, `*`, `~` and `'` are common in addresses and mean nothing between a link's brackets.
    if ("_*~'".includes(sign)) return sign;
    return `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** Signs of a label that would format, end the label, or make Discord show the link as text. */
const risky = /[\\*_~`|[\]<>@]|:(?=\/\/|[^\s:]+:)|discord/iu;

/** A link with a label: escapes are shown literally inside a label, so what would format stands as code there. */
export function maskedLink(label: string, url: string): string {
  const given = cleanText(label).replaceAll("\n", " ").trim();
  // An address as a label would be shown with all its signs: without its scheme it is a label like any other.
  const isAddress = given === "" || given === url || safeUrl(given) === url;
  const line = isAddress ? url.replace(/^https?:\/\//, "") : given;
  if (!risky.test(line)) return `[${line}](${url})`;
  const shown = line
    .replaceAll("`", "\u02cb")
    .replaceAll("[", "\uff3b")
    .replaceAll("]", "\uff3d")
    .replace(/:(?=\/\/)/g, `:${JOINER}`);
  return `[\`${shown}\`](${url})`;
}

/** The one thing that pings, and only where `allowed_mentions` names the person. Null for what is no id. */
export function mentionOf(person: string): string | null {
  return /^\d{1,20}$/.test(person) ? `<@${person}>` : null;
}
