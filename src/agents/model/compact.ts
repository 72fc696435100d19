// Keeps a conversation within the model's window: results of old look-ups go first, what was said and reported stays.
import type { ModelMessage } from "ai";
import { countTokens } from "../prompt/count-tokens.ts";

/** Results of the newest messages that always stay: the model is just working with them. */
const KEPT_RESULTS = 2;
/** A shorter result is not worth a hole, tokens. */
const SMALL = 60;

const gone = "(This answer was taken away to save room. Ask again if you still need it.)";

/** What a message costs, by its JSON: calls and results are sent as such. */
export function messageTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => {
    return sum + 4 + countTokens(typeof content === "string" ? content : JSON.stringify(content));
  }, 0);
}

/** The messages with old results taken away, the oldest first, until they cost no more; as they are if they do already. */
export function compact(messages: readonly ModelMessage[], mostTokens: number): readonly ModelMessage[] {
  let left = messageTokens(messages);
  if (left <= mostTokens) return messages;
  const tools = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
  const old = new Set(tools.slice(0, Math.max(0, tools.length - KEPT_RESULTS)));
  return messages.map((message, index) => {
    if (left <= mostTokens || !old.has(index) || message.role !== "tool") return message;
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "text") return part;
      const saved = countTokens(part.output.value) - countTokens(gone);
      if (saved < SMALL || left <= mostTokens) return part;
      left -= saved;
      return { ...part, output: { type: "text" as const, value: gone } };
    });
    return { ...message, content };
  });
}
