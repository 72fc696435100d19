// Reads Discord's Markdown as Discord's clients do, by what is known of their rules: what a reader would see, and what would be alive.

export interface Live {
  readonly kind:
    | "user"
    | "role"
    | "channel"
    | "everyone"
    | "emoji"
    | "timestamp"
    | "command"
    | "link"
    | "invitation"
    | "format"
    | "code"
    | "block";
  /** What it shows, or for a link where it leads. */
  readonly text: string;
  /** Of a link: what it shows. */
  readonly label?: string;
}

export interface Read {
  /** The text that is seen, without marks. */
  readonly text: string;
  readonly live: readonly Live[];
}

const JOINERS = /[\u2060]/g;

export function readDiscordMarkdown(source: string): Read {
  const live: Live[] = [];
  const text = readLines(source, live);
  return { text, live };
}

function readLines(source: string, live: Live[]): string {
  let rest = source;
  let out = "";
  let isLineStart = true;
  while (rest !== "") {
    const taken: Taken = (isLineStart ? takeLineSign(rest, live) : null) ?? takeInline(rest, out, live);
    out += taken.text;
    rest = rest.slice(taken.length);
    isLineStart = taken.keepsLineStart === true || /\n$/.test(taken.text);
  }
  return out;
}

interface Taken {
  readonly length: number;
  readonly text: string;
  readonly keepsLineStart?: boolean;
}

/** Headings, small print, quotes, lists. */
function takeLineSign(rest: string, live: Live[]): Taken | null {
  const sign = /^(?:[^\S\n]*(?:#{1,3}|-#)[^\S\n]+(?=\S)|(?:>>> |> )|[^\S\n]*(?:[-*+]|\d+[.)])[^\S\n]+(?=\S))/.exec(
    rest,
  );
  if (sign === null) return null;
  live.push({ kind: "format", text: sign[0].trim() });
  return { length: sign[0].length, text: "", keepsLineStart: true };
}

const mentions: readonly (readonly [Live["kind"], RegExp])[] = [
  ["user", /^<@!?\d+>/],
  ["role", /^<@&\d+>/],
  ["channel", /^<#\d+>/],
  ["emoji", /^<a?:\w+:\d+>/],
  ["timestamp", /^<t:-?\d+(?::[tTdDfFR])?>/],
  ["command", /^<\/[^:>]+:\d+>/],
  ["channel", /^<id:\w+>/],
  ["everyone", /^@(?:everyone|here)/i],
  ["emoji", /^:[^\s:]+:/],
];

function takeInline(rest: string, before: string, live: Live[]): Taken {
  const escaped = /^\\([^0-9A-Za-z\s])/.exec(rest);
  if (escaped !== null) return { length: escaped[0].length, text: escaped[1] ?? "" };
  const block = /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i.exec(rest);
  if (block !== null) return push(live, "block", block[0].length, block[2] ?? "");
  const code = /^(`+)([\s\S]*?[^`])\1(?!`)/.exec(rest);
  if (code !== null) return push(live, "code", code[0].length, code[2] ?? "");
  for (const [kind, pattern] of mentions) {
    const found = pattern.exec(rest);
    if (found !== null) return push(live, kind, found[0].length, found[0]);
  }
  const masked =
    /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['"][\s\S]*?['"])?\s*\)/.exec(
      rest,
    );
  if (masked !== null) return takeMasked(masked, live);
  const angled = /^<([^: >]+:\/[^ >]+)>/.exec(rest);
  if (angled !== null) return link(live, angled[0].length, angled[1] ?? "", angled[1] ?? "");
  const bare = /^(?:https?|steam|discord|ftp):\/\/[^\s<]+[^<.,:;"')\]\s]/i.exec(rest);
  if (bare !== null) return link(live, bare[0].length, bare[0], bare[0]);
  const invitation = /^discord(?:app)?\.(?:gg|com\/invite)\/\S+/i.exec(rest);
  if (invitation !== null) return push(live, "invitation", invitation[0].length, invitation[0]);
  const format = [
    /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/,
    /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/,
    /^~~((?:\\[\s\S]|[^\\])+?)~~(?!_)/,
    /^\|\|([\s\S]+?)\|\|/,
    /^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b/,
    /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
  ]
    .map((pattern) => pattern.exec(rest))
    .find((found) => found !== null);
  if (format !== undefined && format !== null) {
    live.push({ kind: "format", text: format[0].slice(0, 2) });
    const inner: Live[] = [];
    const text = readInline(format[1] ?? "", before, inner);
    live.push(...inner);
    return { length: format[0].length, text };
  }
  const [character = ""] = rest;
  return { length: character.length, text: character.replace(JOINERS, "") };
}

function readInline(source: string, before: string, live: Live[]): string {
  let rest = source;
  let out = "";
  while (rest !== "") {
    const taken = takeInline(rest, before + out, live);
    out += taken.text;
    rest = rest.slice(taken.length);
  }
  return out;
}

/** In a label, escapes are shown as they stand, and code is code. A label that looks like an address makes no link. */
function takeMasked(found: RegExpExecArray, live: Live[]): Taken {
  const [whole, label = "", url = ""] = found;
  const inside: Live[] = [];
  const shown = /^`[^`]*`$/.test(label) ? label.slice(1, -1) : readInline(label.replaceAll("\\", "\\\\"), "", inside);
  if (/^[a-z]+:\/\//i.test(shown)) return { length: whole.length, text: whole };
  live.push(...inside);
  return link(live, whole.length, url, shown.replace(JOINERS, ""));
}

function link(live: Live[], length: number, url: string, label: string): Taken {
  live.push({ kind: "link", text: url, label });
  return { length, text: label };
}

function push(live: Live[], kind: Live["kind"], length: number, shown: string): Taken {
  const text = shown.replace(JOINERS, "");
  live.push({ kind, text });
  return { length, text };
}
