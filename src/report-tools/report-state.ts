// The state of one pass as a tool server keeps it: on disk before it is acknowledged, shared with other servers of the same pass.
import { randomBytes } from "node:crypto";
import { codeOf, currentIdentity, type FileIdentity, replaceFileSync } from "./atomic-file.ts";
import { type Addition, createStateDocument } from "./state-document.ts";
import { readDocument } from "./state-file.ts";
import { withLock } from "./state-lock.ts";

export type Recorded =
  | { readonly kind: "recorded"; readonly count: number; readonly duplicate: boolean }
  /** Nothing is on disk; the reason is a whole sentence for the agent. */
  | { readonly kind: "refused"; readonly reason: string };

export interface ReportState {
  readonly runId: string;
  /**
   * Records one thing and resolves once it is on disk.
   *
   * @param mayWrite asked while the lock is held, right before writing: a reason forbids it.
   */
  record(addition: Addition, mayWrite?: () => string | null): Promise<Recorded>;
}

/** The id that states carry when nobody named a pass (a server started by hand). */
export const localRunId = "local";

/**
 * Opens the state of a pass. Nothing is read or written before the first call. What another server of the same pass wrote is
 * continued; what another pass left is replaced.
 *
 * @param path of the state file; its directory must exist.
 */
export function createReportState(path: string, runId: string): ReportState {
  const token = randomBytes(8).toString("hex");
  const temporary = `${path}.${token}.tmp`;
  const lock = `${path}.lock`;
  let document = createStateDocument(runId);
  let written: FileIdentity | null = null;

  return {
    runId,
    async record(addition, mayWrite = () => null) {
      const locked = await withLock(lock, token, () => recordLocked(addition, mayWrite));
      return locked.kind === "done" ? locked.value : notWritten(locked.reason);
    },
  };

  function recordLocked(addition: Addition, mayWrite: () => string | null): Recorded {
    const refusal = mayWrite();
    if (refusal !== null) return { kind: "refused", reason: refusal };
    const onDisk = currentIdentity(path);
    if (onDisk !== null && onDisk !== written) resume();
    const plan = document.plan(addition);
    if (plan.kind === "full") return { kind: "refused", reason: fullReason(addition, plan.reason) };
    try {
      if (plan.kind === "write") {
        written = replaceFileSync(path, temporary, plan.pieces);
        plan.apply();
      } else if (written === null || onDisk !== written) {
        // A duplicate is acknowledged too, so the first one must still be there.
        written = replaceFileSync(path, temporary, document.pieces());
      }
    } catch (fault) {
      return notWritten(codeOf(fault));
    }
    const count = addition.section === "skipReason" ? 1 : document.count(addition.section);
    return { kind: "recorded", count, duplicate: plan.kind === "duplicate" };
  }

  /** Takes over what another server of this pass wrote. Anything else that lies there is not ours and will be replaced. */
  function resume(): void {
    const read = readDocument(path);
    if (read.kind !== "document" || read.document.runId !== runId) return;
    document = createStateDocument(runId, read.document);
    written = read.identity;
  }

  function notWritten(why: string): Recorded {
    return {
      kind: "refused",
      reason: `The state file could not be written (${why}), so this call was not recorded. Nothing that is not on disk is accepted.`,
    };
  }
}

function fullReason(addition: Addition, why: string): string {
  const advice =
    addition.section === "problems" ? " Keep the gravest, and say in the summary that there are more." : "";
  return `${why} This one was not recorded.${advice}`;
}
