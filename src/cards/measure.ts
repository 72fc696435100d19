// The size of a card's parts, as a channel would write them: text with its markup and addresses, and bytes as JSON.
import type { Block, Inline } from "../core/card.ts";

/** `text` in UTF-16 code units; `bytes` of JSON in UTF-8 (0 when nobody asked for bytes). */
export interface Size {
  readonly text: number;
  readonly bytes: number;
}

/** How much room there is; Infinity where nothing limits it. */
export type Room = Size;

/** Markup around strong, emphasised, struck or code text, at most. */
const MARKS = 4;
/** Markup of a link beside its text and address. */
const LINK_MARKS = 4;
/** A list item's marker or a quoted line's sign, with its indentation and line end. */
const LINE_MARKS = 6;
/** The fences of a code block and their line ends. */
const FENCE_MARKS = 8;

export function inlinesTextSize(inlines: readonly Inline[]): number {
  let size = 0;
  for (const inline of inlines) {
    switch (inline.kind) {
      case "text":
        size += inline.text.length;
        break;
      case "code":
        size += inline.text.length + MARKS;
        break;
      case "break":
        size += 1;
        break;
      case "link":
        size += inlinesTextSize(inline.children) + inline.url.length + LINK_MARKS;
        break;
      default:
        size += inlinesTextSize(inline.children) + MARKS;
    }
  }
  return size;
}

/** What a block adds to the text of its page. */
export function blockTextSize(block: Block): number {
  switch (block.kind) {
    case "heading":
    case "text":
      return inlinesTextSize(block.children) + 2;
    case "fields":
      return block.fields.reduce((sum, field) => sum + fieldTextSize(field), 0);
    case "list":
      return block.items.reduce((sum, item) => sum + itemTextSize(item), 0);
    case "table":
      return [block.header, ...block.rows].reduce((sum, row) => sum + rowTextSize(row), 0);
    case "code":
      return block.text.length + (block.language?.length ?? 0) + FENCE_MARKS;
    case "quote":
      return blocksTextSize(block.blocks) + LINE_MARKS * Math.max(1, block.blocks.length);
    case "image":
      return block.alt.length + block.url.length + MARKS;
    case "divider":
      return 4;
    case "actions":
      return block.actions.reduce((sum, action) => sum + action.label.length, 0);
  }
}

export function blocksTextSize(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + blockTextSize(block), 0);
}

export function itemTextSize(item: readonly Block[]): number {
  return blocksTextSize(item) + LINE_MARKS * Math.max(1, item.length);
}

export function fieldTextSize(field: { readonly label: string; readonly value: readonly Inline[] }): number {
  return field.label.length + inlinesTextSize(field.value) + MARKS;
}

function rowTextSize(row: readonly (readonly Inline[])[]): number {
  return row.reduce((sum, cell) => sum + inlinesTextSize(cell) + 3, 0);
}

/** UTF-8 bytes of a value as JSON, with the comma after it. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}
