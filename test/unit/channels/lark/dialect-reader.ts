// Reads the Markdown dialect of cards, independently of what writes it: what people see, and whatever in it is live.

export interface Reading {
  /** Text as it is shown, marks taken away. */
  readonly text: string;
  /** Ids of mentions, addresses of links, keys of pictures. */
  readonly mentions: readonly string[];
  readonly links: readonly string[];
  readonly pictures: readonly string[];
  /** Names of every other tag that would be read as one. */
  readonly tags: readonly string[];
  /** Kinds of block that a line starts: heading, list, quote, rule, table, indented. */
  readonly blocks: readonly string[];
  /** Texts of code blocks and spans. */
  readonly code: readonly string[];
  /** Texts within marks. */
  readonly strong: readonly string[];
  readonly emphasis: readonly string[];
  readonly strike: readonly string[];
  readonly emoji: readonly string[];
}

type Mutable = { -readonly [Name in keyof Reading]: Reading[Name] extends readonly string[] ? string[] : string };

/** A mention may be found before anything else is read: every one in the raw text counts, in code as well. */
export function readDialect(markdown: string): Reading {
  const seen: Mutable = {
    text: "",
    mentions: Array.from(markdown.matchAll(/<\s*\/?\s*at\b[^>]*>?/gi), ([tag]) => tag).filter(
      (tag) => !/^<\s*\//.test(tag),
    ),
    links: [],
    pictures: [],
    tags: [],
    blocks: [],
    code: [],
    strong: [],
    emphasis: [],
    strike: [],
    emoji: [],
  };
  const lines = markdown.split("\n");
  let index = 0;
  const shown: string[] = [];
  while (index < lines.length) {
    const line = lines[index] ?? "";
    const fence = /^ {0,3}(`{3,})([^`]*)$/.exec(line);
    if (fence !== null) {
      const body: string[] = [];
      index += 1;
      while (index < lines.length && !closes(lines[index] ?? "", fence[1] ?? "")) {
        body.push(lines[index] ?? "");
        index += 1;
      }
      seen.code.push(body.join("\n"));
      shown.push(body.join("\n"));
      index += 1;
      continue;
    }
    shown.push(readLine(line, seen));
    index += 1;
  }
  seen.text = shown.join("\n");
  return seen;
}

function closes(line: string, fence: string): boolean {
  const run = /^ {0,3}(`+) *$/.exec(line)?.[1];
  return run !== undefined && run.length >= fence.length;
}

function readLine(line: string, seen: Mutable): string {
  const starts: readonly (readonly [string, RegExp])[] = [
    ["indented", /^(?: {4}|\t)\s*\S/],
    ["heading", /^ {0,3}#{1,6}(?: |$)/],
    ["list", /^\s*(?:[-+*]|\d{1,9}[.)])(?: |$)/],
    ["quote", /^ {0,3}>/],
    ["rule", /^ {0,3}(?:[-=*_] *){3,}$/],
    ["table", /^ {0,3}\|/],
  ];
  let rest = line;
  for (const [kind, pattern] of starts) {
    if (!pattern.test(rest)) continue;
    seen.blocks.push(kind);
    if (kind === "table")
      return rest
        .split("|")
        .map((cell) => readInline(cell.trim(), seen))
        .join("|");
    if (kind === "heading" || kind === "list" || kind === "quote")
      rest = rest.replace(/^\s*(?:#{1,6}|[-+*]|\d{1,9}[.)]|>) ?/, "");
  }
  return readInline(rest, seen);
}

function readInline(text: string, seen: Mutable): string {
  let out = "";
  let rest = text;
  while (rest !== "") {
    const found = firstOf(rest, seen);
    if (found === null) {
      out += rest[0];
      rest = rest.slice(1);
      continue;
    }
    out += found.shown;
    rest = rest.slice(found.length);
  }
  return out;
}

function firstOf(rest: string, seen: Mutable): { readonly shown: string; readonly length: number } | null {
  const code = /^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/.exec(rest);
  if (code !== null) {
    seen.code.push(code[2] ?? "");
    return { shown: code[2] ?? "", length: code[0].length };
  }
  const entity = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/i.exec(rest);
  if (entity !== null) return { shown: decoded(entity), length: entity[0].length };
  const escaped = /^\\([!-/:-@[-`{-~])/.exec(rest);
  if (escaped !== null) return { shown: escaped[1] ?? "", length: 2 };
  const picture = /^!\[([^\]]*)\]\(([^)\s]*)[^)]*\)/.exec(rest);
  if (picture !== null) {
    seen.pictures.push(picture[2] ?? "");
    return { shown: picture[1] ?? "", length: picture[0].length };
  }
  const link = /^\[([^\]]*)\]\(([^)\s]*)[^)]*\)/.exec(rest);
  if (link !== null) {
    seen.links.push(link[2] ?? "");
    return { shown: readInline(link[1] ?? "", seen), length: link[0].length };
  }
  const auto = /^(?:https?:\/\/|www\.)[^\s<]+/i.exec(rest);
  if (auto !== null) {
    seen.links.push(auto[0]);
    return { shown: auto[0], length: auto[0].length };
  }
  const tag = /^<\s*\/?\s*([a-z][\w-]*)\b[^>]*>/i.exec(rest) ?? /^<!--/.exec(rest);
  if (tag !== null) {
    const name = (tag[1] ?? "comment").toLowerCase();
    if (name === "br") return { shown: "\n", length: tag[0].length };
    if (name !== "at") seen.tags.push(name);
    return { shown: "", length: tag[0].length };
  }
  const emoji = /^:[\w+-]+:/.exec(rest);
  if (emoji !== null) {
    seen.emoji.push(emoji[0]);
    return { shown: "", length: emoji[0].length };
  }
  for (const [mark, list] of [
    ["**", seen.strong],
    ["__", seen.strong],
    ["~~", seen.strike],
    ["*", seen.emphasis],
    ["_", seen.emphasis],
  ] as const) {
    if (!rest.startsWith(mark)) continue;
    const end = closing(rest, mark);
    if (end === -1) continue;
    const inner = readInline(rest.slice(mark.length, end), seen);
    list.push(inner);
    return { shown: inner, length: end + mark.length };
  }
  return null;
}

/** Where a mark that opens at the start of the text ends: it touches its text on both sides. */
function closing(rest: string, mark: string): number {
  if (/^\s|^$/.test(rest.slice(mark.length, mark.length + 1))) return -1;
  for (let at = rest.indexOf(mark, mark.length + 1); at !== -1; at = rest.indexOf(mark, at + 1)) {
    if (!/\s/.test(rest[at - 1] ?? " ")) return at;
  }
  return -1;
}

const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00A0", sim: "~" };

function decoded([whole, decimal, hex, name]: RegExpExecArray): string {
  if (decimal !== undefined) return String.fromCodePoint(Math.min(Number(decimal), 0x10ffff));
  if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
  return names[(name ?? "").toLowerCase()] ?? whole;
}
