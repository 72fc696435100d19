// The last resort for what a platform refuses to take: the same text without structure, cut to what any platform takes.
import { clippedText } from "../cards/cut-text.ts";
import { readableText } from "../cards/readable-text.ts";
import type { ComposedMessage } from "./deliver.ts";

/** Text of a plain page, UTF-16 code units. */
const PLAIN_TEXT = 1_500;

/** One page a card, buttons left out; files are kept, because they hold what is cut here. */
export function asPlainText(messages: readonly ComposedMessage[]): readonly ComposedMessage[] {
  return messages.flatMap(({ actions: _, ...message }): ComposedMessage[] => {
    const { content } = message;
    if (!("card" in content)) return [message];
    if (content.part !== undefined && content.part.number > 1) return [];
    const { card, quiet, outcome } = content;
    const text = clippedText(readableText({ title: "", blocks: card.blocks }).trim(), PLAIN_TEXT);
    const plain = { title: card.title, tone: card.tone, fallback: card.fallback };
    const blocks = text === "" ? [] : [{ kind: "text", children: [{ kind: "text", text }] } as const];
    const hints = { ...(quiet === undefined ? {} : { quiet }), ...(outcome === undefined ? {} : { outcome }) };
    return [{ ...message, content: { card: { ...plain, blocks }, ...hints } }];
  });
}
