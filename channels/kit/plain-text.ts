// A card as plain text: for clients that show no card, for search, and for people who read the API in a terminal.
import type { Block, Card, Cell, Inline, Page } from "../../src/core/card.ts";

/** All readable text of a page in reading order; buttons that only the card can offer are left out. */
export function pageText(page: Page): string {
  const { part } = page;
  const title = part === undefined ? page.card.title : `${page.card.title} (${part.number}/${part.of})`;
  return [title, blocksText(page.card.blocks, "\n\n")].filter((text) => text !== "").join("\n\n");
}

export function cardText(card: Card): string {
  return pageText({ card });
}

export function inlineText(children: readonly Inline[]): string {
  return children.map(oneInline).join("");
}

function oneInline(inline: Inline): string {
  switch (inline.kind) {
    case "text":
    case "code":
      return inline.text;
    case "break":
      return "\n";
    case "strong":
    case "emphasis":
    case "strike":
      return inlineText(inline.children);
    case "link": {
      const label = inlineText(inline.children);
      return label === inline.url ? label : `${label} (${inline.url})`;
    }
  }
}

function blocksText(blocks: readonly Block[], separator: string): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join(separator);
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "text":
      return inlineText(block.children);
    case "fields":
      return block.fields.map(({ label, value }) => `${label}: ${inlineText(value)}`).join("\n");
    case "list":
      return block.items.map((item, index) => listItem(item, bullet(block, index))).join("\n");
    case "table":
      return [block.header, ...block.rows].map(rowText).join("\n");
    case "code":
      return block.text;
    case "quote":
      return prefixed(blocksText(block.blocks, "\n\n"), "> ", "> ");
    case "image":
      return block.alt;
    case "divider":
      return "---";
    case "actions":
      return block.actions
        .filter(({ url }) => url !== undefined)
        .map(({ label, url }) => `${label}: ${url}`)
        .join("\n");
  }
}

function bullet(list: Extract<Block, { kind: "list" }>, index: number): string {
  return list.ordered ? `${(list.start ?? 1) + index}. ` : "- ";
}

function listItem(blocks: readonly Block[], mark: string): string {
  return prefixed(blocksText(blocks, "\n"), mark, " ".repeat(mark.length));
}

function rowText(row: readonly Cell[]): string {
  return row.map(inlineText).join(" | ");
}

function prefixed(text: string, first: string, rest: string): string {
  return text
    .split("\n")
    .map((line, index) => `${index === 0 ? first : rest}${line}`)
    .join("\n");
}
