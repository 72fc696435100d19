// Gets paths out of diff headers: C quoting, prefixes, tabs, and the header line that does not say where a path ends.

/** Both names of a header with their prefixes, where they have any. */
export interface NamePair {
  readonly old: string;
  readonly new: string;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

/**
 * Reads git's C-quoted string that begins with the quote at `from`.
 * @returns the text and the offset behind the closing quote, or null when it is not well formed.
 */
export function readQuoted(text: string, from: number): { readonly value: string; readonly end: number } | null {
  let value = "";
  for (let i = from + 1; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') return { value, end: i + 1 };
    if (char !== "\\") {
      value += char;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(i + 1, i + 4))?.[0];
    if (octal !== undefined) {
      value += String.fromCharCode(Number.parseInt(octal, 8));
      i += 3;
      continue;
    }
    const plain = escapes[text[i + 1] ?? ""];
    if (plain === undefined) return null;
    value += plain;
    i++;
  }
  return null;
}

/** A whole field that may be quoted; null when the quoting is broken. */
export function unquote(text: string): string | null {
  if (!text.startsWith('"')) return text;
  const quoted = readQuoted(text, 0);
  return quoted !== null && quoted.end === text.length ? quoted.value : null;
}

/** The path of a `---` or `+++` line as git writes it: a tab closes names that hold spaces. Null when badly quoted. */
export function gitLabel(text: string): string | null {
  return unquote(text.endsWith("\t") ? text.slice(0, -1) : text);
}

/**
 * Splits what follows `diff --git `. Without quotes the line is ambiguous, but whoever needs it (no rename, no `---`)
 * names one path twice, so that only the split into two halves with equal paths counts. Null when there is none.
 */
export function splitGitHeader(text: string, mayQuote: boolean): NamePair | null {
  if (mayQuote && text.includes('"')) return splitQuoted(text);
  const middle = (text.length - 1) / 2;
  if (Number.isInteger(middle) && isTwice(text, middle)) return cut(text, middle);
  // Prefixes of unequal length put the space elsewhere.
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) if (isTwice(text, at)) return cut(text, at);
  return null;
}

function splitQuoted(text: string): NamePair | null {
  if (text.startsWith('"')) {
    const old = readQuoted(text, 0);
    if (old === null || text[old.end] !== " ") return null;
    const rest = unquote(text.slice(old.end + 1));
    return rest === null ? null : { old: old.value, new: rest };
  }
  // An unquoted name holds no quote, so the first one opens the second name.
  const at = text.indexOf(' "');
  const second = at < 0 ? null : unquote(text.slice(at + 1));
  return second === null ? null : { old: text.slice(0, at), new: second };
}

function cut(text: string, at: number): NamePair {
  return { old: text.slice(0, at), new: text.slice(at + 1) };
}

/** Whether cutting at the space gives one path twice, each behind its prefix. */
function isTwice(text: string, at: number): boolean {
  if (text[at] !== " ") return false;
  const pair = cut(text, at);
  if (pair.old === pair.new) return true;
  return withoutPrefix(pair.old) !== "" && withoutPrefix(pair.old) === withoutPrefix(pair.new);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

/** Takes the prefixes off a pair of names; two names that are equal as they stand were written with `--no-prefix`. */
export function stripPrefixes(pair: NamePair): NamePair {
  if (pair.old === pair.new) return pair;
  return { old: withoutPrefix(pair.old), new: withoutPrefix(pair.new) };
}

/** The one path that both halves of an unquoted header name, as offsets. */
export interface HeaderHalves {
  readonly middle: number;
  /** Where the path begins behind the first prefix. */
  readonly pathStart: number;
}

/** The common case of `splitGitHeader`, without making a string: null when it takes the slower way. */
export function findHalves(bytes: Buffer, start: number, end: number): HeaderHalves | null {
  const middle = start + (end - start - 1) / 2;
  if (bytes[middle] !== 32) return null;
  const half = middle - start;
  let slash = start;
  while (slash < middle && bytes[slash] !== 47 && bytes[middle + 1 + slash - start] !== 47) slash++;
  if (bytes[slash] !== 47 || bytes[middle + 1 + slash - start] !== 47) return null;
  let samePrefix = true;
  for (let i = 0; i < half; i++) {
    const byte = bytes[start + i];
    if (byte === 34) return null;
    if (byte === bytes[middle + 1 + i]) continue;
    if (start + i > slash) return null;
    samePrefix = false;
  }
  return samePrefix || slash + 1 === middle ? null : { middle, pathStart: slash + 1 };
}

/**
 * The names of a `Binary files A and B differ` line whose header was ambiguous: the header repeats them, joined by a space.
 */
export function splitBinaryLine(text: string, header: string): NamePair | null {
  const joint = " and ";
  if (text.length - joint.length !== header.length - 1) return null;
  for (let at = text.indexOf(joint); at >= 0; at = text.indexOf(joint, at + 1)) {
    if (header[at] === " " && header.startsWith(text.slice(0, at)) && header.endsWith(text.slice(at + joint.length))) {
      const old = unquote(text.slice(0, at));
      const next = unquote(text.slice(at + joint.length));
      if (old !== null && next !== null) return { old, new: next };
    }
  }
  return null;
}

/** The depot path of a `==== //depot/path#3 (text) ====` line, decoded as people write it. */
export function readP4Header(
  text: string,
): { readonly path: string; readonly revision: number | null; readonly types: string } | null {
  // Paths hold no bare `#`, so the only one begins the revision; shelved adds have `#none` or none at all.
  const match = /^==== (\/\/[^#]+)(?:#(\d+|none))? \(([^()]*)\) ====$/.exec(text);
  if (match === null) return null;
  const path = (match[1] as string).replace(/%(40|23|2A|25)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return {
    path,
    revision: match[2] === undefined || match[2] === "none" ? null : Number(match[2]),
    types: match[3] ?? "",
  };
}
