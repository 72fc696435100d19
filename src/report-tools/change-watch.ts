// Keeps a server's view of change.json fresh for the price of one stat a call, and tells whether its pass is still the current one.
import { currentIdentity } from "./atomic-file.ts";
import { type ChangeFacts, type ChangeRead, readChangeFile } from "./change-file.ts";

export type Standing =
  | { readonly kind: "current"; readonly facts: ChangeFacts }
  /** The reason is for the agent: a whole sentence. */
  | { readonly kind: "refused"; readonly reason: string };

export interface ChangeWatch {
  /** Synchronous, so that it can be asked between taking the state's lock and writing. */
  standing(runId: string): Standing;
  /** The current pass according to the file; null when the file cannot be read. */
  currentRun(): string | null;
}

/** @param path of change.json (AICR_CHANGE_PATH); it may appear, change and go while it is watched. */
export function createChangeWatch(path: string): ChangeWatch {
  let last: ChangeRead = { kind: "missing" };

  return {
    standing(runId) {
      const read = fresh();
      if (read.kind === "missing") return refuse("The facts of this change are gone, so this review is over.");
      if (read.kind === "corrupt") return refuse(`The facts of this change cannot be read: ${read.reason}.`);
      if (read.facts.runId !== runId) return refuse("This pass of the review is over; another one is running.");
      return { kind: "current", facts: read.facts };
    },
    currentRun() {
      const read = fresh();
      return read.kind === "ok" ? read.facts.runId : null;
    },
  };

  function fresh(): ChangeRead {
    const identity = currentIdentity(path);
    if (last.kind !== "ok" || identity !== last.identity) last = readChangeFile(path);
    return last;
  }
}

function refuse(reason: string): Standing {
  return { kind: "refused", reason: `${reason} Nothing was recorded; stop and do not retry.` };
}
