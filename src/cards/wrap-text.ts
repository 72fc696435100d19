// Wraps text by its width on a terminal: escape sequences take no room, East Asian characters take two columns each.
import { clusters, displayWidth } from "./display-width.ts";

/** A colour sequence, or the start or end of a link. */
const escapes = /(\u001b\[[\d;]*m|\u001b\]8;;[^\u001b]*\u001b\\)/;
/** Places where a line may end: after white space, and on both sides of an ideograph. */
const breaks = /(\s+|[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60])/;
/** Signs that may not begin a line. */
const closing = /^[,.;:!?)\]}、。，；：！？）】》”’…]/;

/** Lines of at most `width` columns (a cluster that is wider stands alone); line ends in the text are kept. */
export function wrapped(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(2, width)));
}

function wrapLine(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const token of text.split(escapes)) {
    if (escapes.test(token)) {
      line += token;
      continue;
    }
    for (const word of token.split(breaks)) if (word !== "") add(word);
  }
  lines.push(line);
  return lines.map((each) => each.trimEnd());

  function add(word: string): void {
    const size = displayWidth(word);
    if (used + size <= width) {
      line += word;
      used += size;
      return;
    }
    // White space at the end of a line disappears, and what follows begins the next one.
    if (word.trim() === "") {
      used = width + 1;
      return;
    }
    if (used > 0 && !hangs(word, size)) next();
    if (size <= width) {
      line += word;
      used += size;
    } else for (const cluster of clusters(word)) addCluster(cluster);
  }

  /** A single closing sign may hang over the edge, once. */
  function hangs(word: string, size: number): boolean {
    return used <= width && closing.test(word) && size === displayWidth(word.slice(0, 1));
  }

  function addCluster(cluster: { readonly text: string; readonly width: number }): void {
    if (used + cluster.width > width && used > 0) next();
    line += cluster.text;
    used += cluster.width;
  }

  function next(): void {
    lines.push(line);
    line = "";
    used = 0;
  }
}
