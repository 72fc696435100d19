// Inline content in the Markdown dialect of cards.
import type { Cell, Inline } from "../../../src/core/card.ts";
import { escapeMarkdown, guardLineStart, inlineCode, webAddress } from "./escape.ts";

/** One paragraph, ready to stand at the start of a line; empty for nothing. */
export function writeLine(inlines: readonly Inline[]): string {
  return guardLineStart(writeInlines(inlines));
}

export function writeCell(cell: Cell): string {
  return writeLine(cell).trim();
}

/** Inlines as they stand within a line. */
export function writeInlines(inlines: readonly Inline[]): string {
  return inlines.reduce((line, inline) => joined(line, inline), "");
}

function joined(line: string, inline: Inline): string {
  switch (inline.kind) {
    case "text":
      return after(line, escapeMarkdown(inline.text));
    case "code":
      return after(line, inlineCode(inline.text));
    case "break":
      return `${line}<br>`;
    case "link":
      return after(line, link(inline.url, writeInlines(inline.children)));
    case "strong":
      return marked(line, "**", writeInlines(inline.children));
    case "emphasis":
      return marked(line, "*", writeInlines(inline.children));
    case "strike":
      return marked(line, "~~", writeInlines(inline.children));
  }
}

function link(url: string, label: string): string {
  const address = webAddress(url);
  if (address === null || label === "") return label;
  return `[${label}](${address})`;
}

/** Marks touch their text within and nothing but spaces, marks and punctuation without: else the dialect shows them. */
function marked(line: string, mark: string, text: string): string {
  const bare = text.trim();
  if (bare === "") return line + text;
  const before = text.slice(0, text.indexOf(bare));
  const behind = text.slice(text.indexOf(bare) + bare.length);
  const start = line + before;
  const gap = needsGap(start.slice(-1)) || start.endsWith(mark[0] ?? "") ? " " : "";
  return `${start}${gap}${mark}${bare}${mark}${behind}`;
}

function after(line: string, text: string): string {
  const touchesMark = /[*~]$/.test(line) && needsGap(text.slice(0, 1));
  return touchesMark ? `${line} ${text}` : line + text;
}

function needsGap(neighbour: string): boolean {
  return neighbour !== "" && !/[\s.,:;!?)\]}>"']/.test(neighbour);
}
