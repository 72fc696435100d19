// A table of a card as a table of Slack's, where it fits into one.
import type { RichTextBlock, TableBlock } from "@slack/types";
import type { Block, Cell } from "../../../src/core/card.ts";
import { inlineText } from "../../kit/plain-text.ts";
import { plainLine } from "../escape.ts";
import { richInlines, richText, section } from "./rich-text.ts";

type TableOfCard = Extract<Block, { kind: "table" }>;

/** Rows with the header, cells of a row, characters of all cells of a message. */
const MAX_ROWS = 100;
const MAX_CELLS = 20;
const MAX_TEXT = 10_000;

/** null when it is too large for a table of Slack's. */
export function tableBlock(table: TableOfCard): TableBlock | null {
  const rows = [table.header, ...table.rows];
  const columns = Math.max(...rows.map((row) => row.length));
  if (rows.length > MAX_ROWS || columns > MAX_CELLS || columns === 0) return null;
  const text = rows.reduce(
    (sum, row) => sum + row.reduce((all, cell) => all + Math.max(1, inlineText(cell).length), 0),
    0,
  );
  if (text > MAX_TEXT) return null;
  return {
    type: "table",
    column_settings: Array.from({ length: columns }, (_, column) => ({
      align: isNumeric(table, column) ? ("right" as const) : ("left" as const),
      is_wrapped: true,
    })),
    rows: rows.map((row) => Array.from({ length: columns }, (_, column) => tableCell(row[column] ?? []))),
  };
}

/** A cell must hold something. */
function tableCell(cell: Cell): RichTextBlock | { type: "raw_text"; text: string } {
  if (cell.every(({ kind }) => kind === "text" || kind === "break")) {
    const text = plainLine(inlineText(cell));
    return { type: "raw_text", text: text === "" ? " " : text };
  }
  return richText([section(richInlines(cell))]);
}

function isNumeric({ rows }: TableOfCard, column: number): boolean {
  const texts = rows.map((row) => inlineText(row[column] ?? []).trim()).filter((text) => text !== "");
  return texts.length > 0 && texts.every((text) => /^[+\-\u2212]?\d[\d.,\u202f ]*%?$/.test(text));
}
