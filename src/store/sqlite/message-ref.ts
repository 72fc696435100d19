// A message's five columns and the way back to a MessageRef.
import type { MessageRef } from "../../core/delivery.ts";

export type RefColumns<P extends string> = {
  readonly [K in `${P}_${"channel" | "workspace" | "conversation" | "thread" | "message"}`]: string | null;
};

/** Undefined while the columns are empty. */
export function messageRef<P extends string>(row: RefColumns<P>, prefix: P): MessageRef | undefined {
  const channel = row[`${prefix}_channel`];
  const workspace = row[`${prefix}_workspace`];
  const conversation = row[`${prefix}_conversation`];
  const thread = row[`${prefix}_thread`];
  const message = row[`${prefix}_message`];
  if (channel === null || workspace === null || conversation === null || message === null) return undefined;
  return { channel, workspace, conversation, ...(thread === null ? {} : { thread }), message };
}
