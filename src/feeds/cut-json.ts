// Cuts what nobody reads out of a JSON document before it is parsed: of a large push, nearly all is its list of commits.

/** The document with `null` in place of what was cut. */
export interface CutJson {
  readonly text: string;
  /** Deepest nesting of the whole document, cut parts included. */
  readonly depth: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Cuts the lists and objects that stand under one of these keys of the outermost object. All else is kept byte by byte,
 * for the parser to judge. Of what is cut, only texts and brackets are looked at; a document that does not close all of
 * them is kept whole.
 * @param bytes UTF-8.
 */
export function cutJson(bytes: Buffer, unread: readonly string[]): CutJson {
  const keys = unread.map((key) => Buffer.from(`"${key}"`));
  const cuts: Value[] = [];
  let depth = 0;
  let deepest = 0;
  /** The latest text directly in the outermost object or list. */
  let textStart = 0;
  let textEnd = 0;

  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      const start = at - 1;
      at = endOfText(bytes, at);
      if (depth === 1) {
        textStart = start;
        textEnd = at;
      }
    } else if (isOpening(byte)) {
      if (depth === 1 && isUnread(bytes, keys, textStart, textEnd, at - 1)) {
        const value = measureValue(bytes, at - 1);
        cuts.push(value);
        at = value.end;
        deepest = Math.max(deepest, depth + value.depth);
        // What is still open at the end never brings the depth back to 0.
        if (!value.isClosed) depth += 1;
      } else {
        depth += 1;
        if (depth > deepest) deepest = depth;
      }
    } else if (isClosing(byte)) depth -= 1;
  }
  return { text: depth === 0 ? without(bytes, cuts) : bytes.toString("utf8"), depth: deepest };
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly isClosed: boolean;
}

/** A list or an object from its opening bracket on. Most of a push is here, so that this loop knows of nothing else. */
function measureValue(bytes: Buffer, start: number): Value {
  let depth = 0;
  let deepest = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      // As endOfText does it; a call for each of a thousand short texts takes longer than the texts.
      for (;;) {
        const inner = bytes[at++];
        if (inner === QUOTE) break;
        if (inner === BACKSLASH) at++;
        else if (inner === undefined) return { start, end: bytes.length, depth: deepest, isClosed: false };
      }
    } else if (isOpening(byte)) {
      if (++depth > deepest) deepest = depth;
    } else if (isClosing(byte) && --depth === 0) return { start, end: at, depth: deepest, isClosed: true };
  }
  return { start, end: bytes.length, depth: deepest, isClosed: false };
}

/** `[` and `{`: they differ in one bit. */
function isOpening(byte: number): boolean {
  return (byte | 0x20) === 0x7b;
}

function isClosing(byte: number): boolean {
  return (byte | 0x20) === 0x7d;
}

/** Behind the closing quote; behind the last byte where there is none. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return bytes.length;
}

/** Whether the text is one of the keys, and nothing but a colon stands between it and the bracket. */
function isUnread(bytes: Buffer, keys: readonly Buffer[], start: number, end: number, bracket: number): boolean {
  if (!keys.some((key) => end - start === key.length && key.compare(bytes, start, end) === 0)) return false;
  let colons = 0;
  for (let at = end; at < bracket; at++) {
    if (bytes[at] === COLON) colons += 1;
    else if (!isSpace(bytes[at])) return false;
  }
  return colons === 1;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function without(bytes: Buffer, cuts: readonly Value[]): string {
  let text = "";
  let kept = 0;
  for (const { start, end } of cuts) {
    text += `${bytes.toString("utf8", kept, start)}null`;
    kept = end;
  }
  return text + bytes.toString("utf8", kept);
}
