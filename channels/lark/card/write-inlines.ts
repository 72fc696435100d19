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
      return afterText(line, escapeMarkdown(inline.text));
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
  const [, before = "", bare = "", behind = ""] = /^((?:\s|<br>)*)([\s\S]*?)((?:\s|<br>)*)$/.exec(text) ?? [];
  if (bare === "") return line + text;
  const start = line + before;
  const gap = needsGap(start.slice(-1)) || start.endsWith(mark[0] ?? "") ? " " : "";
  return `${start}${gap}${mark}${bare}${mark}${behind}`;
}

function after(line: string, text: string): string {
  const touchesMark = /[*~]$/.test(line) && needsGap(text.slice(0, 1));
  return touchesMark ? `${line} ${text}` : line + text;
}

/** What means nothing in each of two texts may mean something in both together: an address, an emoji. */
function afterText(line: string, text: string): string {
  if (/:$/.test(line) && /^[\w/+-]/.test(text)) return after(`${line.slice(0, -1)}&#58;`, text);
  if (/:[\w+-]+$/.test(line) && text.startsWith(":")) return after(line, `&#58;${text.slice(1)}`);
  if (/w$/i.test(line) && /^w{0,2}\./i.test(text)) return after(line, text.replace(".", "&#46;"));
  return after(line, text);
}

function needsGap(neighbour: string): boolean {
  return neighbour !== "" && !/[\s.,:;!?)\]}>"']/.test(neighbour);
}
