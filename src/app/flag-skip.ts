// Says openly that a model waved through a change which touches high-risk paths: text in the change may have asked it to.
import type { ChangedFile } from "../core/change.ts";
import type { Report, ReportNote } from "../core/report.ts";
import { classifyFile } from "../core/reviewable.ts";
import { riskOf } from "../core/risk.ts";

/** Paths that the note names; the others are counted. */
const NAMED_PATHS = 5;

/** The report with a note, where it is a model's skip and source on a high-risk path has changed; else as it is. */
export function flagSkip(report: Report, files: readonly ChangedFile[], isByModel: boolean): Report {
  if (!isByModel || report.outcome !== "skipped") return report;
  const risky = files.filter((file) => classifyFile(file) === "source" && riskOf(file.path) === "high");
  if (risky.length === 0) return report;
  return {
    ...report,
    notes: [
      ...(report.notes ?? []),
      pathsNote(
        "risky_skip",
        risky.map(({ path }) => path),
      ),
    ],
  };
}

/** A note that counts paths and names the first of them. */
export function pathsNote(kind: ReportNote["kind"], paths: readonly string[]): ReportNote {
  const named = paths.slice(0, NAMED_PATHS).join(", ");
  return { kind, params: { n: paths.length, paths: paths.length > NAMED_PATHS ? `${named}, …` : named } };
}
