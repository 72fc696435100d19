// Our own escaper: text that Slack shows as it is, and text that stands in its markup without being read as markup.

/**
 * What has no business in a message: C0 controls but tab and newline, DEL, C1 controls, bidirectional embeddings, overrides
 * and isolates, lone surrogates. Code points of the text keep their count, so that what fits before fits after.
 */
const unwelcome = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const replacement = "\ufffd";

/** For `plain_text`, `raw_text` and `rich_text`, whose text Slack does not parse. */
export function plainText(text: string): string {
  return text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replace(unwelcome, replacement);
}

/** The same in one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s*\n\s*/g, " ");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "\u02cb" };

/**
 * For `mrkdwn` and the top-level text. Only `&`, `<` and `>` have a meaning that reaches beyond looks there. A backtick becomes its
 * look-alike U+02CB: an odd one would swallow the markup after it, and one inside code would end the code.
 */
export function mrkdwnText(text: string): string {
  return plainText(text).replace(/[&<>`]/g, (sign) => entities[sign] ?? sign);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cuts between graphemes to at most `limit` UTF-16 code units, an ellipsis included. */
export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${longestPrefix(text, limit - 1)}\u2026`;
}

/** Parts of at most `limit` code units each once escaped, cut between graphemes, at a line's end or a space where one is near. */
export function escapedParts(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const piece of atoms(mrkdwnLines(text), limit)) {
    if (part !== "" && part.length + piece.length > limit) {
      parts.push(part);
      part = "";
    }
    part += piece;
  }
  if (part !== "") parts.push(part);
  return parts;
}

/** Words with the white space after them, so that cuts fall between words. */
function mrkdwnLines(text: string): readonly string[] {
  return plainText(text).match(/\S*\s+|\S+$/g) ?? [];
}

function* atoms(words: readonly string[], limit: number): Iterable<string> {
  for (const word of words) {
    const escaped = mrkdwnText(word);
    if (escaped.length <= limit) {
      yield escaped;
      continue;
    }
    for (const { segment } of graphemes.segment(word)) {
      const one = mrkdwnText(segment);
      if (one.length <= limit) yield one;
      // A grapheme of thousands of marks: code points are the least that can be kept whole.
      else for (const point of segment) yield mrkdwnText(point);
    }
  }
}

function longestPrefix(text: string, limit: number): string {
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
