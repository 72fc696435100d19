// Buttons are stored with the messages that show them; this writes them and what people do with them.
import type { Database } from "better-sqlite3";
import { ACTION_LIFE_MS, type PlannedAction } from "../../core/action.ts";
import type { ActionStore } from "../../ports/action-store.ts";

export type ActionInserts = ReturnType<typeof createActionInserts>;

export function createActionInserts(db: Database) {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO actions (token, kind, delivery, number, fingerprint, category, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (delivery: number, number: number, actions: readonly PlannedAction[], now: number): void => {
    for (const { token, kind, fingerprint, category } of actions) {
      insert.run(token, kind, delivery, number, fingerprint ?? null, category ?? null, now + ACTION_LIFE_MS);
    }
  };
}

export function createActionWrites(db: Database) {
  const findingSeq = db.prepare<unknown[], number>("SELECT seq FROM findings WHERE id = ?").pluck();
  const acknowledge = db.prepare(
    `INSERT OR IGNORE INTO acknowledgements (finding, channel, workspace, person, name, at) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const forget = db.prepare("DELETE FROM kind_mutes WHERE until <= ?");
  const muteKind = db.prepare(
    `INSERT INTO kind_mutes (channel, workspace, conversation, repository, category, until, muted_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, workspace, conversation, repository, category) DO NOTHING`,
  );

  return {
    acknowledgeFinding({
      finding,
      by,
      now,
    }: Parameters<ActionStore["acknowledgeFinding"]>[0]): Awaited<ReturnType<ActionStore["acknowledgeFinding"]>> {
      const seq = findingSeq.get(finding);
      if (seq === undefined) return "unknown";
      const { channel, workspace, person, name } = by;
      const { changes } = acknowledge.run(seq, channel, workspace, person, name ?? null, now);
      return changes === 1 ? "acknowledged" : "already";
    },

    muteKind(mute: Parameters<ActionStore["muteKind"]>[0], now: number): "muted" | "already" {
      forget.run(now);
      const { conversation: place, repository, category, until, by } = mute;
      const row = [place.channel, place.workspace, place.conversation, repository, category, until, by];
      return muteKind.run(...row).changes === 1 ? "muted" : "already";
    },
  };
}
