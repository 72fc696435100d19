// The pace of each conversation: one message a second, no call while Slack asks it to wait, and stale edits dropped first.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** Slack takes about one message a second into a conversation. */
const SPACING_MS = 1_000;
/** What would have to wait longer is handed back to the core, which has time and a store. */
const MAX_WAIT_MS = 10_000;

export interface Lanes {
  /**
   * Runs a call in its turn. Throws ChannelError `rate_limited` without calling when the conversation must wait too long.
   * @param replaces what the call sets: a later call that sets the same takes the place of one that still waits, and both settle
   * with the later one's outcome.
   */
  run<T>(lane: string, call: () => Promise<T>, replaces?: string): Promise<T>;
}

interface Waiting {
  readonly replaces: string | undefined;
  call: () => Promise<unknown>;
  readonly settle: ((outcome: Promise<unknown>) => void)[];
}

interface Lane {
  readonly waiting: Waiting[];
  /** When the next call may start, by the monotonic clock. */
  nextAt: number;
  /** Until when Slack asked for silence. */
  pausedUntil: number;
  isBusy: boolean;
}

export function createLanes({ clock }: { readonly clock: Clock }): Lanes {
  const lanes = new Map<string, Lane>();

  return {
    run<T>(name: string, call: () => Promise<T>, replaces?: string): Promise<T> {
      const lane = laneOf(name);
      return new Promise<T>((resolve) => {
        // The promise takes on the outcome of the call that ran, which is of the same kind where it replaced this one.
        const settle = (outcome: Promise<unknown>): void => resolve(outcome as Promise<T>);
        const standing = replaces === undefined ? undefined : lane.waiting.find((other) => other.replaces === replaces);
        if (standing !== undefined) {
          standing.call = call;
          standing.settle.push(settle);
          return;
        }
        const now = clock.monotonic();
        const wait = lane.pausedUntil - now;
        if (wait > 0) return settle(Promise.reject(mustWait(wait)));
        const inQueue = Math.max(0, lane.nextAt - now) + lane.waiting.length * SPACING_MS;
        if (inQueue > MAX_WAIT_MS) return settle(Promise.reject(mustWait(inQueue)));
        lane.waiting.push({ replaces, call, settle: [settle] });
        next(name, lane);
      });
    },
  };

  function laneOf(name: string): Lane {
    const standing = lanes.get(name);
    if (standing !== undefined) return standing;
    const lane: Lane = { waiting: [], nextAt: clock.monotonic(), pausedUntil: 0, isBusy: false };
    lanes.set(name, lane);
    return lane;
  }

  function next(name: string, lane: Lane): void {
    if (lane.isBusy) return;
    const wait = lane.nextAt - clock.monotonic();
    if (wait > 0) {
      lane.isBusy = true;
      clock.after(wait, () => {
        lane.isBusy = false;
        next(name, lane);
      });
      return;
    }
    const first = lane.waiting.shift();
    if (first === undefined) {
      if (lane.pausedUntil <= clock.monotonic()) lanes.delete(name);
      return;
    }
    lane.isBusy = true;
    lane.nextAt = clock.monotonic() + SPACING_MS;
    const outcome = started(first.call);
    for (const settle of first.settle) settle(outcome);
    outcome.then(
      () => ended(name, lane),
      (thrown: unknown) => {
        if (thrown instanceof ChannelError && thrown.fault === "rate_limited") pause(lane, thrown.retryAfterMs ?? 0);
        ended(name, lane);
      },
    );
  }

  function ended(name: string, lane: Lane): void {
    lane.isBusy = false;
    next(name, lane);
  }

  /** Who waits is told to come again: the core keeps what is owed, and the edits that a newer state overtook are not owed. */
  function pause(lane: Lane, ms: number): void {
    lane.pausedUntil = Math.max(lane.pausedUntil, clock.monotonic() + ms);
    lane.nextAt = Math.max(lane.nextAt, lane.pausedUntil);
    for (const { settle } of lane.waiting.splice(0)) {
      const refused = Promise.reject(mustWait(ms));
      for (const one of settle) one(refused);
    }
  }
}

/** A call that throws at once rejects like any other. */
async function started(call: () => Promise<unknown>): Promise<unknown> {
  return call();
}

function mustWait(ms: number): ChannelError {
  return new ChannelError("rate_limited", "The conversation must wait before its next message.", { retryAfterMs: ms });
}
