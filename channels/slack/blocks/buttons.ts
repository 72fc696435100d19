// The buttons of a card, and how a pressed one is told from a link.
import type { ActionsBlock, Button } from "@slack/types";
import type { ActionButton } from "../../../src/core/card.ts";
import { clip, plainLine } from "../escape.ts";
import { webAddress } from "./links.ts";

/** `action_id` of a button with a token begins so; its `value` is the token. */
export const actionPrefix = "aicr_action_";
/** `action_id` of a button that merely opens an address: Slack tells of its press too, and wants it acknowledged. */
export const openPrefix = "aicr_open_";

const MAX_BUTTONS = 25;
const MAX_LABEL = 75;
const MAX_VALUE = 2_000;

/**
 * One block for every 25 buttons; none where no button can be shown. A button whose address is none leads nowhere and is left out.
 * @param first number of the first button: an `action_id` stands once in a message.
 */
export function actionBlocks(actions: readonly ActionButton[], first: number): ActionsBlock[] {
  const elements = actions.flatMap((action, index) => button(action, first + index));
  const blocks: ActionsBlock[] = [];
  for (let start = 0; start < elements.length; start += MAX_BUTTONS) {
    blocks.push({ type: "actions", elements: elements.slice(start, start + MAX_BUTTONS) });
  }
  return blocks;
}

function button({ label, token, url, style }: ActionButton, number: number): Button[] {
  const shown = clip(plainLine(label).trim(), MAX_LABEL);
  const text = { type: "plain_text", text: shown === "" ? "\u2026" : shown, emoji: false } as const;
  const look = style === "default" ? {} : { style };
  if (token !== undefined) {
    if (token.length > MAX_VALUE) return [];
    return [{ type: "button", action_id: `${actionPrefix}${number}`, text, value: token, ...look }];
  }
  const address = url === undefined ? null : webAddress(url);
  if (address === null || address.startsWith("mailto:")) return [];
  return [{ type: "button", action_id: `${openPrefix}${number}`, text, url: address, ...look }];
}
