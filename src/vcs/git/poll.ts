// Compares the branches of now with those of the last poll.
import type { Poll, PolledEvent } from "../../ports/vcs.ts";
import { isFullId } from "./revision-syntax.ts";

const VERSION = 1;

/**
 * @param branches full ref → commit id, as they are now.
 * @param isForward whether the second id is reached from the first by new commits only.
 */
export async function pollBranches(
  cursor: string | null,
  branches: ReadonlyMap<string, string>,
  limit: number,
  isForward: (before: string, head: string) => Promise<boolean>,
): Promise<Poll> {
  const known = cursor === null ? null : readCursor(cursor);
  if (known === null) return { events: [], next: writeCursor(branches), gap: cursor !== null };

  const next = new Map(known);
  const events: PolledEvent[] = [];
  for (const ref of [...new Set([...known.keys(), ...branches.keys()])].sort()) {
    const [before, head] = [known.get(ref), branches.get(ref)];
    if (before === head) continue;
    // The rest waits for the next poll: the cursor moves only over what is handed out.
    if (events.length >= limit) break;
    events.push({
      ref,
      ...(before !== undefined && { before }),
      ...(head !== undefined && { head }),
      forced: before !== undefined && head !== undefined && !(await isForward(before, head)),
    });
    if (head === undefined) next.delete(ref);
    else next.set(ref, head);
  }
  return { events, next: writeCursor(next), gap: false };
}

function writeCursor(refs: ReadonlyMap<string, string>): string {
  return JSON.stringify({ v: VERSION, refs: Object.fromEntries([...refs].sort(([a], [b]) => (a < b ? -1 : 1))) });
}

function readCursor(cursor: string): ReadonlyMap<string, string> | null {
  try {
    const data: unknown = JSON.parse(cursor);
    if (typeof data !== "object" || data === null || !("v" in data) || data.v !== VERSION || !("refs" in data))
      return null;
    if (typeof data.refs !== "object" || data.refs === null) return null;
    const entries = Object.entries(data.refs as Record<string, unknown>);
    return entries.every((entry): entry is [string, string] => typeof entry[1] === "string" && isFullId(entry[1]))
      ? new Map(entries)
      : null;
  } catch {
    return null;
  }
}
