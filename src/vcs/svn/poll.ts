// Hands out the revisions since the last poll that touched the configured folder, each once and in order.
import { AppError } from "../../core/errors.ts";
import type { Poll, PolledEvent } from "../../ports/vcs.ts";
import type { Budget } from "../git/run-git.ts";
import { damaged } from "./faults.ts";
import { isAbove, type Position, relativeTo } from "./location.ts";
import { type LogEntry, type LoggedPath, readLog } from "./log.ts";
import { STREAM } from "./resolve.ts";
import type { Svn } from "./run-svn.ts";

const VERSION = 1;
/** Revisions of one poll that are looked through; the rest waits for the next. */
const MAX_REVISIONS = 500;

/** @param position as it is now: the head is read first, for a log beyond it is an error. */
export async function pollRevisions(
  svn: Svn,
  position: Position,
  cursor: string | null,
  limit: number,
  budget: Budget,
): Promise<Poll> {
  const { uuid, head } = position;
  const last = cursor === null ? null : readCursor(cursor, uuid);
  // Another repository under the same URL, or one that was restored from an older copy: numbers mean something else now.
  if (last === null || last > head) return { events: [], next: writeCursor(uuid, head), gap: cursor !== null };
  if (last === head || limit <= 0) return { events: [], next: writeCursor(uuid, last), gap: false };

  const { entries, to } = await readSome(svn, position, last + 1, Math.min(head, last + MAX_REVISIONS), budget);
  // One revision with more paths than a log may have: its review will say so, but the feed must not stop at it.
  if (entries === "too_large") {
    return { events: [eventOf(to)], next: writeCursor(uuid, to), gap: false };
  }
  const events: PolledEvent[] = [];
  for (const { number, paths } of entries) {
    const touches = paths.some((path) => concerns(position, path));
    if (!touches) continue;
    if (events.length >= limit) return { events, next: writeCursor(uuid, lastOf(events)), gap: false };
    events.push(eventOf(number));
  }
  return { events, next: writeCursor(uuid, to), gap: false };
}

interface SomeEntries {
  readonly entries: readonly LogEntry[] | "too_large";
  /** The last revision that was looked at. */
  readonly to: number;
}

/** Fewer revisions where all of them are too large for one log. */
async function readSome(svn: Svn, position: Position, from: number, to: number, budget: Budget): Promise<SomeEntries> {
  try {
    const entries = await readLog(svn, position, { from, to }, budget);
    if (entries === null) throw damaged(svn.subject, `svn log: r${to} is gone`);
    return { entries, to };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "too_large")) throw error;
    if (from === to) return { entries: "too_large", to };
    return readSome(svn, position, from, from + ((to - from) >> 2), budget);
  }
}

function eventOf(number: number): PolledEvent {
  return { ref: STREAM, before: String(number - 1), head: String(number), forced: false };
}

/** A path below the folder; of the folders above it, only that they are made, moved or removed. */
function concerns(position: Position, { path, action }: LoggedPath): boolean {
  return relativeTo(position, path) !== null || (isAbove(position, path) && action !== "M");
}

function lastOf(events: readonly PolledEvent[]): number {
  return Number(events.at(-1)?.head);
}

function writeCursor(uuid: string, revision: number): string {
  return JSON.stringify({ v: VERSION, uuid, revision });
}

/** Null for what is no cursor of this repository. */
function readCursor(cursor: string, uuid: string): number | null {
  try {
    const data: unknown = JSON.parse(cursor);
    if (typeof data !== "object" || data === null || !("v" in data && "uuid" in data && "revision" in data))
      return null;
    const { v, uuid: known, revision } = data;
    const isOurs = v === VERSION && known === uuid && typeof revision === "number";
    return isOurs && Number.isSafeInteger(revision) && revision >= 0 ? revision : null;
  } catch {
    return null;
  }
}
