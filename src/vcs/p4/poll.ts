// Hands out every submitted changelist of the depot path once, in the order of the numbers, by a cursor that survives.
import type { Poll, PolledEvent } from "../../ports/vcs.ts";

const VERSION = 1;
/** Numbers of one question to the server; a number is at most one changelist. */
const WINDOW = 1000;
/** Windows of one poll, so that a long absence does not turn into one long call. */
const MAX_WINDOWS = 50;
/**
 * A number is given out when a submit begins, so that a later one may be committed first. So many numbers below the newest
 * are looked at again.
 */
const LOOK_BACK = 100;

interface Cursor {
  /** Everything up to here has been handed out, but for submits that were still going on. */
  readonly change: number;
  /** Those of the last `LOOK_BACK` numbers that have been handed out or were there at first; at least the newest one. */
  readonly seen: readonly number[];
}

export interface PollSource {
  /** The number of the last committed changelist of the server. */
  last(): Promise<number>;
  /** Numbers of the submitted changelists of the depot path within a range, ascending. */
  list(first: number, last: number): Promise<readonly number[]>;
  /** The highest of them all, or null. */
  newest(): Promise<number | null>;
}

export async function pollChanges(text: string | null, limit: number, ref: string, source: PollSource): Promise<Poll> {
  const cursor = text === null ? null : readCursor(text);
  const last = await source.last();
  if (cursor === null || last < cursor.change) {
    const recent = await source.list(Math.max(1, last - LOOK_BACK + 1), last);
    const newest = recent.length > 0 ? null : await source.newest();
    const seen = newest === null ? recent : [newest];
    return { events: [], next: writeCursor({ change: last, seen }), gap: text !== null };
  }
  if (last === cursor.change) return { events: [], next: writeCursor(cursor), gap: false };

  const events: PolledEvent[] = [];
  const seen = new Set(cursor.seen);
  let before = Math.max(0, ...cursor.seen);
  let reached = cursor.change;
  let first = Math.max(1, cursor.change - LOOK_BACK + 1);
  for (let window = 0; window < MAX_WINDOWS && first <= last; window++) {
    const end = Math.min(last, first + WINDOW - 1);
    const fresh = (await source.list(first, end)).filter((number) => !seen.has(number));
    const taken = fresh.slice(0, Math.max(0, limit - events.length));
    for (const number of taken) {
      // A changelist that was late follows none that was handed out before it.
      const follows = before > 0 && before < number;
      events.push({ ref, ...(follows && { before: String(before) }), head: String(number), forced: false });
      seen.add(number);
      before = Math.max(before, number);
    }
    if (taken.length < fresh.length) {
      reached = Math.max(reached, taken.at(-1) ?? 0);
      break;
    }
    reached = Math.max(reached, end);
    first = end + 1;
  }
  const recent = [...seen].filter((number) => number > reached - LOOK_BACK || number === before).sort((a, b) => a - b);
  return { events, next: writeCursor({ change: reached, seen: recent }), gap: false };
}

function writeCursor({ change, seen }: Cursor): string {
  return JSON.stringify({ v: VERSION, change, seen });
}

function readCursor(text: string): Cursor | null {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== "object" || data === null || !("v" in data) || data.v !== VERSION) return null;
    if (!("change" in data) || !("seen" in data) || !Array.isArray(data.seen)) return null;
    const seen: readonly unknown[] = data.seen;
    const { change } = data;
    return isNumber(change) && seen.every(isNumber) ? { change, seen } : null;
  } catch {
    return null;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
