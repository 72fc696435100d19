// One pass of the checks agent: reads the run directory, inspects, reports.
import { dirname, join } from "node:path";
import type { CheckEngines } from "../../ports/check-engine.ts";
import { readChangeFile } from "../../report-tools/change-file.ts";
import { readChangeUnderReview } from "./change-under-review.ts";
import { createInspectChange } from "./inspect-change.ts";
import { createInspectors } from "./inspectors.ts";
import { reportVerdict } from "./report-verdict.ts";
import { connectReporter } from "./reporter.ts";

export interface ReviewRunParts {
  readonly engines: CheckEngines;
  /** Absolute path of change.json; the two sides lie beside it as `source/` and `base/`. */
  readonly changePath: string;
  /** Absolute path of the output server's bundle. */
  readonly toolServer: string;
  /** The environment that the output server gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly onProgress: (note: string) => void;
}

/** Throws an Error when the run directory cannot be read or the output server cannot be reached. */
export async function reviewRun(parts: ReviewRunParts, signal: AbortSignal): Promise<void> {
  const read = readChangeFile(parts.changePath);
  if (read.kind !== "ok")
    throw new Error(`${parts.changePath}: ${read.kind === "missing" ? "no such file" : read.reason}`);
  const root = dirname(parts.changePath);
  const sides = { source: join(root, "source"), base: join(root, "base") };
  // The server starts while the engines work.
  const connecting = connectReporter({ server: parts.toolServer, env: parts.env });
  connecting.catch(() => {});
  const change = await readChangeUnderReview(read.facts, sides);
  const inspectChange = createInspectChange({
    inspectors: createInspectors(parts.engines),
    sides,
    onProgress: parts.onProgress,
  });
  const verdict = await inspectChange(change, signal);
  const reporter = await connecting;
  try {
    const refusals = await reportVerdict(reporter, change, verdict, read.facts.locale);
    for (const refusal of refusals) process.stderr.write(`${refusal}\n`);
  } finally {
    await reporter.close();
  }
}
