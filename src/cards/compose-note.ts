// Composes short private texts (accepted, progress, help, a wrong command) from one catalogue text.
import type { Block, Card, Tone } from "../core/card.ts";
import { type Slot, slotPlaceholder, type Texts } from "../ports/texts.ts";
import { inlineText } from "./readable-text.ts";
import { toBlocks } from "./to-blocks.ts";

export interface ComposeNoteInput {
  readonly texts: Texts;
  readonly locale: string;
  /** Default `neutral`. */
  readonly tone?: Tone;
}

/**
 * The text's first line is the card's title; what follows is our own Markdown. Values stay plain text, whatever they hold.
 * Throws AppError `internal` on an unknown key.
 */
export function composeNote(
  { texts, locale, tone = "neutral" }: ComposeNoteInput,
  key: string,
  params: Readonly<Record<string, string | number>> = {},
): Card {
  const slots = new Map<string, Slot>();
  const placed: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === "number") {
      placed[name] = value;
      continue;
    }
    const placeholder = slotPlaceholder(slots.size);
    slots.set(placeholder, { kind: "text", text: value });
    placed[name] = placeholder;
  }
  const blocks = toBlocks({ markdown: texts.text(key, locale, placed), slots });
  const [first, ...others] = blocks;
  const title = titleText(first);
  return { title, tone, fallback: title, blocks: others };
}

function titleText(block: Block | undefined): string {
  return block !== undefined && "children" in block ? inlineText(block.children).replaceAll("\n", " ") : "";
}
