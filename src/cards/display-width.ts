// How many columns of a terminal or of monospaced text a string takes: East Asian wide characters and emoji take two.

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const plainAscii = /^[\x20-\x7e]*$/;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}])/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

/** Width in columns. */
export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += clusterWidth(segment);
  return width;
}

/** The text followed by spaces up to a width. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** The grapheme clusters of a text with their widths. */
export function* clusters(text: string): Generator<{ readonly text: string; readonly width: number }> {
  for (const { segment } of graphemes.segment(text)) yield { text: segment, width: clusterWidth(segment) };
}

function clusterWidth(cluster: string): number {
  if (zeroWidth.test(cluster)) return 0;
  return wide.test(cluster) || cluster.includes("\ufe0f") ? 2 : 1;
}
