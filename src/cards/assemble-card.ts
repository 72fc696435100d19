// Makes a card of a rendered template: its first-level heading is the title, the rest are the blocks.
import type { Block, Card, Tone } from "../core/card.ts";
import type { Rendered } from "../ports/texts.ts";
import { clippedText } from "./cut-text.ts";
import { inlineText } from "./readable-text.ts";
import type { ToBlocks } from "./to-blocks.ts";
import { visibleLine } from "./visible-text.ts";

/** Length of a notification's line, UTF-16 code units. */
const FALLBACK_LENGTH = 240;

export function assembleCard(
  rendered: Rendered,
  toBlocks: ToBlocks,
  facts: { readonly tone: Tone; readonly fallback: string },
): Card {
  const blocks = toBlocks(rendered);
  const [first, ...others] = blocks;
  const fallback = clippedText(visibleLine(facts.fallback), FALLBACK_LENGTH);
  if (first?.kind !== "heading" || first.level !== 1) return { title: "", tone: facts.tone, fallback, blocks };
  const link = soleLink(first);
  const title = inlineText(first.children).replaceAll("\n", " ").trim();
  return { title, tone: facts.tone, ...(link === null ? {} : { link }), fallback, blocks: others };
}

function soleLink(heading: Extract<Block, { kind: "heading" }>): string | null {
  const [only] = heading.children;
  return heading.children.length === 1 && only?.kind === "link" ? only.url : null;
}
