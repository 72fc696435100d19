// A table as monospaced text, for channels without tables and for tables that are too large.
import type { Block, Cell } from "../core/card.ts";
import { displayWidth, padded } from "./display-width.ts";
import { inlineText } from "./readable-text.ts";

/** Wider columns are not padded any more: the text would be all spaces. */
const WIDEST_PADDING = 40;

/** Columns aligned by spaces, the header first. Links lose their addresses. */
export function tableAsCode(table: Extract<Block, { kind: "table" }>): Extract<Block, { kind: "code" }> {
  const rows = [table.header, ...table.rows].map((row) => row.map(cellText));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.min(WIDEST_PADDING, Math.max(widths[column] ?? 0, displayWidth(text)));
    }
  }
  const lines = rows.map((row) =>
    row
      .map((text, column) => padded(text, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return { kind: "code", text: lines.join("\n") };
}

function cellText(cell: Cell): string {
  return inlineText(cell).replaceAll("\n", " ");
}
