// Writes of the web chat's own log; a key makes an append happen once.
import type { Database } from "better-sqlite3";
import type { ChatLog } from "../../ports/store.ts";

export function createChatWrites(db: Database) {
  const append = db.prepare(
    `INSERT INTO chat_messages (id, key, conversation, thread, sender, visibility, text, card, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
  );
  const edit = db.prepare("UPDATE chat_messages SET text = ?, card = ?, edited_at = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM chat_messages WHERE id = ?");

  return {
    chatAppend(message: Parameters<ChatLog["append"]>[0], key: string): void {
      const { id, conversation, thread, from, visibility, text, card, createdAt } = message;
      append.run(id, key, conversation, thread ?? null, from, visibility, text, card ?? null, createdAt);
    },
    chatEdit(id: string, { text, card, now }: Parameters<ChatLog["edit"]>[1]): boolean {
      return edit.run(text, card ?? null, now, id).changes === 1;
    },
    chatRemove(id: string): boolean {
      return remove.run(id).changes === 1;
    },
  };
}
