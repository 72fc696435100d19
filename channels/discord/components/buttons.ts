// Buttons: five in a row, with ids that are short, versioned and outlive deploys.
import type { ActionButton } from "../../../src/core/card.ts";
import { ChannelError } from "../../../src/ports/channel.ts";
import { MAX_BUTTON_LABEL, MAX_BUTTONS_IN_ROW, MAX_URL } from "../capabilities.ts";
import { cleanText, safeUrl } from "../escape.ts";
import { type Origin, readCustomId, writeCustomId } from "../inbound.ts";
import { type ActionRow, type Button, componentTypes } from "../wire.ts";

const styles = { default: 2, primary: 1, danger: 4 } as const;
const LINK_STYLE = 5;

export interface Buttons {
  readonly rows: readonly ActionRow[];
  /** Links whose addresses are too long for a button: to be shown as text. */
  readonly asText: readonly ActionButton[];
}

/**
 * @param origin where the card belongs that these buttons are sent with in a direct message.
 * @param used ids that the message has already; Discord takes none twice.
 * Throws ChannelError `rejected` for a token that is none of the core's.
 */
export function buttonRows(actions: readonly ActionButton[], used: Set<string>, origin?: Origin): Buttons {
  const asText: ActionButton[] = [];
  const buttons: Button[] = [];
  for (const action of actions) {
    const button = buttonOf(action, origin);
    if (button === "long") asText.push(action);
    if (button === null || button === "long") continue;
    if (button.custom_id !== undefined && used.has(button.custom_id)) continue;
    if (button.custom_id !== undefined) used.add(button.custom_id);
    buttons.push(button);
  }
  const rows: ActionRow[] = [];
  for (let start = 0; start < buttons.length; start += MAX_BUTTONS_IN_ROW) {
    rows.push({ type: componentTypes.row, components: buttons.slice(start, start + MAX_BUTTONS_IN_ROW) });
  }
  return { rows, asText };
}

/** Null for a button that leads nowhere. */
function buttonOf({ label, token, url, style }: ActionButton, origin?: Origin): Button | "long" | null {
  const shown = labelOf(label);
  if (token !== undefined) {
    const known = readCustomId(token);
    if (known === null) throw new ChannelError("rejected", "A button has a token that is none of ours.");
    const custom_id = writeCustomId(origin === undefined ? known : { token: known.token, origin });
    return { type: componentTypes.button, style: styles[style], label: shown, custom_id };
  }
  const address = url === undefined ? null : safeUrl(url);
  if (address === null) return null;
  if (address.length > MAX_URL) return "long";
  return { type: componentTypes.button, style: LINK_STYLE, label: shown, url: address };
}

/** Labels are plain text: nothing in them is Markdown. */
function labelOf(label: string): string {
  const line = cleanText(label).replaceAll("\n", " ").trim();
  if (line === "") return "\u2026";
  if (line.length <= MAX_BUTTON_LABEL) return line;
  return `${line.slice(0, MAX_BUTTON_LABEL - 1).replace(/\p{Surrogate}$/u, "")}\u2026`;
}
