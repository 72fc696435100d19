// The chat log in memory, for channel and HTTP tests; the stores' own suite proves the real ones.
import type { ChatLog, ChatMessage } from "../../src/ports/store.ts";

export function createMemoryChatLog(): ChatLog {
  const messages = new Map<string, ChatMessage>();
  const keys = new Map<string, string>();
  return {
    async append(message, key) {
      const earlier = messages.get(keys.get(key) ?? "");
      if (earlier !== undefined) return earlier;
      messages.set(message.id, message);
      keys.set(key, message.id);
      return message;
    },
    async edit(id, { text, card, now }) {
      const message = messages.get(id);
      if (message === undefined) return null;
      const edited: ChatMessage = { ...message, text, ...(card === undefined ? {} : { card }), editedAt: now };
      messages.set(id, edited);
      return edited;
    },
    async remove(id) {
      return messages.delete(id);
    },
    async get(id) {
      return messages.get(id) ?? null;
    },
    async findByKey(key) {
      return messages.get(keys.get(key) ?? "") ?? null;
    },
    async list(conversation, limit) {
      const here = [...messages.values()].filter((message) => message.conversation === conversation);
      const roots = here.filter(({ thread }) => thread === undefined).slice(-limit);
      const ids = new Set(roots.map(({ id }) => id));
      return here.filter(({ id, thread }) => ids.has(thread ?? id));
    },
  };
}
