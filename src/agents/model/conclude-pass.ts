// What a pass of the model agent came to: exit, fault and notes, from how its process ended and what that said last.
import { pathsNote } from "../../app/flag-skip.ts";
import type { AppError } from "../../core/errors.ts";
import type { ReportNote, Usage } from "../../core/report.ts";
import type { PassExit, PassResult } from "../../ports/agent.ts";
import type { Redactor } from "../../ports/redactor.ts";
import type { SandboxExit } from "../../ports/sandbox.ts";
import { limitFault, troubleFault } from "./faults.ts";
import type { TaskEnd } from "./task.ts";

export interface PassEvidence {
  readonly agent: string;
  readonly exit: SandboxExit;
  /** Absent: the process died before it could say how it ended. */
  readonly end: TaskEnd | undefined;
  readonly usage: Usage;
  /** Changed files that nobody has read. */
  readonly unread: readonly string[];
  /** Models that readers are to be told of. */
  readonly models: readonly string[];
  /** The fault where a bound in tokens or money was that of the day and not of the review. */
  readonly dayFault?: AppError;
  readonly redactor: Redactor;
}

/** Most bytes of stderr that are kept as diagnostics. */
const SAID_BYTES = 4_096;

export function concludePass(evidence: PassEvidence): PassResult {
  const { agent, exit, end, usage, redactor } = evidence;
  const notes: ReportNote[] = [
    ...(evidence.models.length === 0
      ? []
      : [{ kind: "model", params: { models: evidence.models.join(", ") } } satisfies ReportNote]),
    ...(evidence.unread.length === 0 ? [] : [pathsNote("left_out", evidence.unread)]),
  ];
  switch (end?.kind) {
    case "done":
      return { exit: "ok", usage, notes, finalText: end.text };
    case "limit": {
      const note: ReportNote = { kind: "limit", params: { limit: end.limit } };
      const how: PassExit = end.limit === "time" ? "timeout" : "failed";
      // Whoever cancelled the review needs no other reason.
      if (exit.reason === "cancelled") return { exit: "cancelled", usage, notes };
      const isOfDay = end.limit === "tokens" || end.limit === "money";
      const fault = (isOfDay ? evidence.dayFault : undefined) ?? limitFault(agent, end.limit);
      return failed(how, [...notes, note], fault);
    }
    case "trouble":
      return failed("failed", notes, troubleFault(agent, end.trouble, redactor.redact(end.message)), end.message);
    case "no_tools":
      return failed("failed", notes, undefined, end.message);
    default:
      return failed(exitOf(exit), notes, undefined, `The process ended: ${exit.reason}.`);
  }

  function failed(as: PassExit, told: readonly ReportNote[], fault?: AppError, why = ""): PassResult {
    const said = exit.stderr.subarray(-SAID_BYTES).toString("utf8").trim();
    const diagnostics = redactor.redact([why, said].filter((part) => part !== "").join(" "));
    return { exit: as, usage, notes: told, diagnostics, ...(fault === undefined ? {} : { fault }) };
  }
}

function exitOf({ reason }: SandboxExit): PassExit {
  if (reason === "cancelled") return "cancelled";
  return reason === "timeout" || reason === "idle" ? "timeout" : "failed";
}
