// Reads the web chat's own log.
import type { Database } from "better-sqlite3";
import type { ChatMessage } from "../../ports/store.ts";

interface ChatRow {
  readonly id: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly sender: "person" | "bot";
  readonly visibility: "asker" | "everyone";
  readonly text: string;
  readonly card: string | null;
  readonly created_at: number;
  readonly edited_at: number | null;
}

const columns = "id, conversation, thread, sender, visibility, text, card, created_at, edited_at";

export function createChatReads(db: Database) {
  const byId = db.prepare<unknown[], ChatRow>(`SELECT ${columns} FROM chat_messages WHERE id = ?`);
  const byKey = db.prepare<unknown[], ChatRow>(`SELECT ${columns} FROM chat_messages WHERE key = ?`);
  const list = db.prepare<unknown[], ChatRow>(
    `WITH roots AS MATERIALIZED (SELECT seq, id FROM chat_messages
       WHERE conversation = ? AND thread IS NULL ORDER BY seq DESC LIMIT ?)
     SELECT ${columns} FROM chat_messages WHERE seq IN (
       SELECT seq FROM roots
       UNION ALL SELECT m.seq FROM roots CROSS JOIN chat_messages m ON m.conversation = ? AND m.thread = roots.id)
     ORDER BY seq`,
  );

  return {
    chatGet(id: string): ChatMessage | null {
      return orNull(byId.get(id));
    },
    chatByKey(key: string): ChatMessage | null {
      return orNull(byKey.get(key));
    },
    chatList(conversation: string, limit: number): readonly ChatMessage[] {
      return list.all(conversation, limit, conversation).map(from);
    },
  };
}

function orNull(row: ChatRow | undefined): ChatMessage | null {
  return row === undefined ? null : from(row);
}

function from(row: ChatRow): ChatMessage {
  return {
    id: row.id,
    conversation: row.conversation,
    ...(row.thread === null ? {} : { thread: row.thread }),
    from: row.sender,
    visibility: row.visibility,
    text: row.text,
    ...(row.card === null ? {} : { card: row.card }),
    createdAt: row.created_at,
    ...(row.edited_at === null ? {} : { editedAt: row.edited_at }),
  };
}
