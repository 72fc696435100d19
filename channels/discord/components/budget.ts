// Discord's limits of a message, checked before it is sent: what is over them is refused here, so that the core can fit it anew.
import { ChannelError } from "../../../src/ports/channel.ts";
import { MAX_BYTES, MAX_COMPONENTS, MAX_TEXT } from "../capabilities.ts";
import type { TopComponent } from "../wire.ts";

export interface Weight {
  /** Components, those within others too. */
  readonly components: number;
  /** UTF-16 code units of all text displays. */
  readonly text: number;
  /** UTF-8 bytes of the components as JSON. */
  readonly bytes: number;
}

export function weigh(components: readonly TopComponent[]): Weight {
  let count = 0;
  let text = 0;
  const visit = (component: object): void => {
    count += 1;
    if ("content" in component && typeof component.content === "string") text += component.content.length;
    if ("components" in component && Array.isArray(component.components)) component.components.forEach(visit);
  };
  components.forEach(visit);
  return { components: count, text, bytes: Buffer.byteLength(JSON.stringify(components)) };
}

/** Throws ChannelError `too_large`. */
export function checkBudget(components: readonly TopComponent[]): void {
  const weight = weigh(components);
  const over = [
    ...(weight.components > MAX_COMPONENTS ? [`${weight.components} components of ${MAX_COMPONENTS}`] : []),
    ...(weight.text > MAX_TEXT ? [`${weight.text} characters of ${MAX_TEXT}`] : []),
    ...(weight.bytes > MAX_BYTES ? [`${weight.bytes} bytes of ${MAX_BYTES}`] : []),
  ];
  if (over.length > 0) throw new ChannelError("too_large", `The message is too large for Discord: ${over.join(", ")}.`);
}
