// Finds places where text may be cut: never inside a grapheme cluster or an entity, and after white space where there is some.

/** How far back white space is looked for, as a share of the piece. */
const LOOK_BACK = 0.4;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * The greatest good cut at or before `limit` (code units, at least 1). Looks at the text near the cut only.
 * A single cluster that is longer than the limit is cut between code points, because it must be cut somewhere.
 */
export function cutPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const hard = clusterBoundary(text, limit);
  const from = Math.floor(hard * (1 - LOOK_BACK));
  for (let index = hard; index > from; index--) {
    if (isSpace(text.charCodeAt(index - 1)) && !isSpace(text.charCodeAt(index))) {
      return clusterBoundary(text, index) === index ? index : hard;
    }
  }
  return hard;
}

/** At most `limit` code units, the last of them an ellipsis when something was cut. */
export function clippedText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit < 2 ? 0 : cutPoint(text, limit - 1)).trimEnd()}…`;
}

function clusterBoundary(text: string, limit: number): number {
  const start = safeStart(text, limit);
  let boundary = start;
  // The cluster that holds `limit` ends some way behind it; an entity has at most 33 characters.
  for (const { index, segment } of graphemes.segment(text.slice(start, limit + 64))) {
    const end = start + index + segment.length;
    if (end > limit) break;
    boundary = end;
  }
  const outside = beforeEntity(text, boundary);
  if (outside > 0) return outside;
  if (boundary > 0) return boundary;
  const low = text.charCodeAt(limit);
  return low >= 0xdc00 && low <= 0xdfff && limit > 1 ? limit - 1 : Math.max(1, limit);
}

/** A place before the limit that is certainly a boundary: between two printable ASCII characters; else the start. */
function safeStart(text: string, limit: number): number {
  for (let index = limit - 1; index > 0; index--) {
    if (isAscii(text.charCodeAt(index)) && isAscii(text.charCodeAt(index - 1))) return index;
  }
  return 0;
}

/** Moves a cut inside something that reads as an entity (`&amp;`, `&#x41;`) before it. */
function beforeEntity(text: string, cut: number): number {
  const start = text.lastIndexOf("&", cut - 1);
  if (start === -1 || cut - start > 32) return cut;
  const entity = /^&#?\w{1,31};/.exec(text.slice(start, start + 34));
  return entity !== null && start + entity[0].length > cut ? start : cut;
}

function isAscii(code: number): boolean {
  return code >= 0x20 && code < 0x7f;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}
