// The frame of `aicr-bot doctor`: a check looks at one thing and says what is wrong with it and what to do.

import { toAppError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";

export interface CheckOutcome {
  readonly state: "ok" | "warn" | "fail";
  /** What was found, one line. */
  readonly detail: string;
  /** What to do; absent when all is well. */
  readonly remedy?: string;
}

export interface DoctorCheck {
  /** Stable name for scripts, such as `store` or `repository:demo`. */
  readonly name: string;
  run(): Promise<CheckOutcome>;
}

export interface DoctorResult extends CheckOutcome {
  readonly name: string;
  readonly ms: number;
}

/** Runs the checks one after another; one that throws has failed. */
export async function runChecks(checks: readonly DoctorCheck[], clock: Clock): Promise<readonly DoctorResult[]> {
  const results: DoctorResult[] = [];
  for (const { name, run } of checks) {
    const started = clock.monotonic();
    const finding = await run().catch(failed);
    results.push({ name, ...finding, ms: Math.round(clock.monotonic() - started) });
  }
  return results;
}

function failed(thrown: unknown): CheckOutcome {
  const error = toAppError(thrown);
  const detail = error.reason === "internal" ? (error.detail ?? error.message) : error.message;
  return { state: "fail", detail, remedy: error.remedy };
}

/** One line a check, remedies indented below. */
export function renderResults(results: readonly DoctorResult[], colour: boolean): string {
  const width = Math.max(...results.map((result) => result.name.length), 0);
  const lines = results.flatMap(({ name, state, detail, remedy }) => {
    const mark = paint(marks[state], colours[state], colour);
    const first = `${mark} ${name.padEnd(width)}  ${detail}`;
    return remedy === undefined ? [first] : [first, `${" ".repeat(width + 7)}→ ${remedy}`];
  });
  const failures = results.filter((result) => result.state === "fail").length;
  const verdict =
    failures === 0 ? "Everything that was looked at works." : `${failures} of ${results.length} checks failed.`;
  return `${lines.join("\n")}\n\n${verdict}\n`;
}

const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
const colours = { ok: 32, warn: 33, fail: 31 } as const;

function paint(text: string, code: number, colour: boolean): string {
  return colour ? `\u001b[${code}m${text}\u001b[0m` : text;
}
