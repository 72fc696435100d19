// The text that a person reads in a card, without any markup: what fitting must not lose.
import type { Block, Card, Inline } from "../core/card.ts";

/** Inline text; a break is a newline. */
export function inlineText(inlines: readonly Inline[]): string {
  let text = "";
  for (const inline of inlines) {
    if (inline.kind === "break") text += "\n";
    else text += "children" in inline ? inlineText(inline.children) : inline.text;
  }
  return text;
}

/** Text of blocks, one line or more each. Buttons are controls, not text. */
export function blocksText(blocks: readonly Block[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n");
}

/** Title and blocks, separated by newlines. */
export function readableText(card: Pick<Card, "title" | "blocks">): string {
  const text = blocksText(card.blocks);
  return text === "" ? card.title : `${card.title}\n${text}`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "text":
      return inlineText(block.children);
    case "fields":
      return block.fields.map((field) => `${field.label} ${inlineText(field.value)}`).join("\n");
    case "list":
      return block.items.map(blocksText).join("\n");
    case "table":
      return [block.header, ...block.rows].map((row) => row.map(inlineText).join(" ")).join("\n");
    case "code":
      return block.text;
    case "quote":
      return blocksText(block.blocks);
    case "image":
      return block.alt;
    case "divider":
    case "actions":
      return "";
  }
}
