// How much of a message its blocks take, and the refusal of what Slack would refuse.
import { ChannelError } from "../../../src/ports/channel.ts";

/** Slack takes 50. */
export const maxBlocks = 45;
/** Slack's limit is not documented: 9,597 characters went through, 11,341 did not. */
export const maxBlockText = 9_000;

/** What counts as text: everything people read, and the addresses behind it. */
const textKeys: ReadonlySet<string> = new Set(["text", "url", "image_url", "alt_text", "title"]);

/** Characters of all texts and addresses in blocks, UTF-16 code units. */
export function blockTextSize(value: unknown, key = ""): number {
  if (typeof value === "string") return textKeys.has(key) ? value.length : 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + blockTextSize(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, item]) => sum + blockTextSize(item, name), 0);
}

/** Throws ChannelError `too_large` for blocks over the budget. */
export function checkBudget(blocks: readonly unknown[]): void {
  if (blocks.length > maxBlocks) throw tooLarge(`${blocks.length} blocks of at most ${maxBlocks}`);
  const size = blockTextSize(blocks);
  if (size > maxBlockText) throw tooLarge(`${size} characters of at most ${maxBlockText}`);
}

function tooLarge(what: string): ChannelError {
  return new ChannelError("too_large", `The page does not fit into one Slack message: ${what}.`);
}
