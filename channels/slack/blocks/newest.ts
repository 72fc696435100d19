// A card's blocks in Slack's newest forms: rich_text, table, header, image.
import type { ImageBlock, KnownBlock } from "@slack/types";
import type { Block } from "../../../src/core/card.ts";
import { inlineText } from "../../kit/plain-text.ts";
import { clip, plainLine } from "../escape.ts";
import { actionBlocks } from "./buttons.ts";
import { webAddress } from "./links.ts";
import { richElements, richText } from "./rich-text.ts";
import { tableBlock } from "./table.ts";
import { headerBlock } from "./title.ts";

const MAX_HEADER = 150;
const MAX_ALT = 2_000;

export function newestBlocks(blocks: readonly Block[]): KnownBlock[] {
  const all: KnownBlock[] = [];
  let buttons = 0;
  let tables = 0;
  for (const block of blocks) {
    if (block.kind === "actions") {
      all.push(...actionBlocks(block.actions, buttons));
      buttons += block.actions.length;
    } else if (block.kind === "table" && tables === 0) {
      const table = tableBlock(block);
      if (table !== null) tables += 1;
      all.push(table ?? richText(richElements(block)));
    } else all.push(...oneBlock(block));
  }
  return all;
}

function oneBlock(block: Block): KnownBlock[] {
  switch (block.kind) {
    case "divider":
      return [{ type: "divider" }];
    case "image": {
      const image = imageBlock(block.url, block.alt);
      return [image ?? richText(richElements(block))];
    }
    case "heading": {
      const text = plainLine(inlineText(block.children)).trim();
      const isPlain = block.level <= 2 && block.children.every(({ kind }) => kind === "text");
      if (isPlain && text !== "" && text.length <= MAX_HEADER) return [headerBlock(text)];
      return [richText(richElements(block))];
    }
    default: {
      const elements = richElements(block);
      return elements.length === 0 ? [] : [richText(elements)];
    }
  }
}

/** null where Slack could not fetch it anyway. */
export function imageBlock(address: string, alt: string): ImageBlock | null {
  const url = webAddress(address);
  if (url === null || !url.startsWith("https:")) return null;
  const text = clip(plainLine(alt).trim(), MAX_ALT);
  return { type: "image", image_url: url, alt_text: text === "" ? "\u2026" : text };
}
