// Keeps the gateway's sessions, so that a process that died is followed by one that resumes: nothing is missed, and no new session is begun.
import * as z from "zod";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";

const session = z.object({
  sequence: z.int(),
  sessionId: z.string(),
  shardId: z.int(),
  shardCount: z.int(),
  resumeURL: z.string().regex(/^wss?:\/\//),
});

export type GatewaySession = z.output<typeof session>;

export interface SessionStore {
  retrieve(shard: number): Promise<GatewaySession | null>;
  update(shard: number, session: GatewaySession | null): Promise<void>;
  /** While it is on, sessions are kept although their connection is closed by us. */
  keep(isKept: boolean): void;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
}

/** Sequence numbers move with every event; after a crash a few more events are replayed, and known by their ids. */
const SAVE_EVERY_MS = 5_000;

export interface SessionStoreOptions {
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly applicationId: string;
}

export function createSessionStore({ store, clock, logger, applicationId }: SessionStoreOptions): SessionStore {
  const known = new Map<number, GatewaySession | null>();
  const dirty = new Set<number>();
  let saving: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;
  let isKept = false;

  const keyOf = (shard: number): string => `session:${applicationId}:${shard}`;

  /** Nobody waits for it: what comes after the event that moved the session must not overtake that event. */
  function save(shard: number): void {
    dirty.delete(shard);
    saving = saving.then(() => write(shard));
  }

  async function write(shard: number): Promise<void> {
    const one = known.get(shard) ?? null;
    try {
      await store.saveNote("discord", keyOf(shard), one === null ? "" : JSON.stringify(one));
    } catch (thrown) {
      logger.warn("discord.session_not_saved", { error: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    for (const shard of [...dirty]) save(shard);
    await saving;
  }

  return {
    async retrieve(shard) {
      const found = known.get(shard);
      if (found !== undefined) return found;
      const read = readSession(await store.note("discord", keyOf(shard)).catch(() => null));
      known.set(shard, read);
      return read;
    },
    async update(shard, one) {
      if (one === null && isKept) return;
      const before = known.get(shard);
      known.set(shard, one);
      if (before?.sessionId !== one?.sessionId) {
        save(shard);
        return;
      }
      dirty.add(shard);
      cancel ??= clock.after(SAVE_EVERY_MS, () => void flush());
    },
    keep(given) {
      isKept = given;
    },
    flush,
  };
}

function readSession(note: string | null): GatewaySession | null {
  try {
    const parsed = session.safeParse(JSON.parse(note || "null"));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
