// The platform's pace: so many messages a second into one chat, and one update a second of one card, the newest winning.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";

export interface Bucket {
  /** Resolves when the next call for that name may be made. Throws ChannelError `rate_limited` when that is too far off. */
  take(name: string): Promise<void>;
}

export interface BucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
  /** Longest wait, ms. */
  readonly patienceMs: number;
}

/** Names kept at most: those that were idle long enough to be full are forgotten first. */
const MAX_NAMES = 10_000;

export function createBucket({ clock, perSecond, burst, patienceMs }: BucketOptions): Bucket {
  /** When the bucket of a name will be full again, monotonic, ms. */
  const fullAt = new Map<string, number>();
  const interval = 1_000 / perSecond;

  function forget(now: number): void {
    for (const [name, full] of fullAt) if (full <= now) fullAt.delete(name);
  }

  return {
    async take(name) {
      const now = clock.monotonic();
      if (fullAt.size >= MAX_NAMES) forget(now);
      const full = Math.max(now, fullAt.get(name) ?? now) + interval;
      const waitMs = full - now - burst * interval;
      if (waitMs > patienceMs) {
        const message = "Too many messages wait for this chat.";
        throw new ChannelError("rate_limited", message, { retryAfterMs: Math.ceil(waitMs) });
      }
      fullAt.set(name, full);
      if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    },
  };
}

export interface Updates {
  /**
   * Runs `update`, one a second for each name. What is still waiting when a newer one comes is never run: it is settled with
   * the newer one.
   */
  run(name: string, update: () => Promise<void>): Promise<void>;
}

interface Line {
  going: Promise<void> | undefined;
  waiting: { update: () => Promise<void>; done: Promise<void> } | undefined;
}

export function createUpdates(clock: Clock, intervalMs: number): Updates {
  const lines = new Map<string, Line>();
  /** Monotonic, ms. */
  const lastAt = new Map<string, number>();

  async function begin(name: string, line: Line, update: () => Promise<void>): Promise<void> {
    lastAt.delete(name);
    lastAt.set(name, clock.monotonic());
    const oldest = lastAt.keys().next().value;
    if (lastAt.size > MAX_NAMES && oldest !== undefined) lastAt.delete(oldest);
    line.going = update();
    try {
      await line.going;
    } finally {
      line.going = undefined;
    }
  }

  async function later(name: string, line: Line, waiting: { readonly update: () => Promise<void> }): Promise<void> {
    await whenDue(name, line);
    line.waiting = undefined;
    await begin(name, line, waiting.update);
  }

  function waitOf(name: string): number {
    const last = lastAt.get(name);
    return last === undefined ? 0 : Math.max(0, last + intervalMs - clock.monotonic());
  }

  async function whenDue(name: string, line: Line): Promise<void> {
    await line.going?.catch(() => undefined);
    const waitMs = waitOf(name);
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
  }

  return {
    run(name, update) {
      const line = lines.get(name) ?? { going: undefined, waiting: undefined };
      lines.set(name, line);
      if (line.waiting !== undefined) {
        line.waiting.update = update;
        return line.waiting.done;
      }
      if (line.going === undefined && waitOf(name) === 0)
        return begin(name, line, update).finally(() => tidy(name, line));
      const waiting = { update, done: Promise.resolve() };
      line.waiting = waiting;
      waiting.done = later(name, line, waiting).finally(() => tidy(name, line));
      return waiting.done;
    },
  };

  function tidy(name: string, line: Line): void {
    if (line.going === undefined && line.waiting === undefined) lines.delete(name);
  }
}
