// One process owns the gateway session: two with one token would both get every interaction, and race to answer it.
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";

export interface SessionOwner {
  /** Whether the session is ours now; asks the store. */
  acquire(): Promise<boolean>;
  /** Prolongs it until the returned function is called; calls `lost`, once, when somebody else has it or nobody can tell. */
  renew(lost: () => void): () => void;
  release(): Promise<void>;
}

export interface SessionOwnerOptions {
  readonly store: Pick<ChannelStore, "acquireLease" | "releaseLease">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the lease. */
  readonly name: string;
  /** Names this process; unguessable. */
  readonly owner: string;
}

/** How long a process that died keeps others waiting, ms. */
export const LEASE_MS = 15_000;

export function createSessionOwner({ store, clock, logger, name, owner }: SessionOwnerOptions): SessionOwner {
  async function acquire(): Promise<boolean> {
    try {
      return await store.acquireLease({ name, owner, ttlMs: LEASE_MS, now: clock.now() });
    } catch (thrown) {
      logger.warn("discord.lease_unknown", { error: thrown instanceof Error ? thrown.message : String(thrown) });
      throw thrown;
    }
  }

  return {
    acquire: () => acquire().catch(() => false),
    renew(lost) {
      let heldAt = clock.monotonic();
      let isOver = false;
      let cancel = clock.after(LEASE_MS / 3, next);

      function end(): void {
        if (isOver) return;
        isOver = true;
        lost();
      }

      function next(): void {
        const asked = clock.monotonic();
        acquire().then(
          (isOurs) => {
            if (isOver) return;
            heldAt = asked;
            if (isOurs) cancel = clock.after(LEASE_MS / 3, next);
            else end();
          },
          () => {
            if (isOver) return;
            // Ours until it runs out, whether the store can be asked or not.
            if (clock.monotonic() - heldAt >= LEASE_MS - LEASE_MS / 3) end();
            else cancel = clock.after(LEASE_MS / 6, next);
          },
        );
      }

      return () => {
        isOver = true;
        cancel();
      };
    },
    async release() {
      await store.releaseLease(name, owner).catch(() => undefined);
    },
  };
}
