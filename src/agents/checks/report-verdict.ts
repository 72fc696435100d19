// Turns a verdict into tool calls: problems, a summary that names the gaps, or a skip.
import type { ChangeUnderReview } from "./change-under-review.ts";
import type { Complaint, Words } from "./complaint.ts";
import type { Verdict } from "./inspect-change.ts";
import type { Reporter } from "./reporter.ts";
import { failedEngines, writeSummary } from "./summary.ts";
import { text } from "./texts.ts";

/** Bytes of a message that leave room below the tool's cap of 8 KiB; engines may quote whole types. */
const maxMessageCharacters = 2_000;

/**
 * Reports everything and returns the refusals, which cost only the call they concern.
 * `skip` is said only when every engine finished: a check that did not run approves of nothing.
 */
export async function reportVerdict(
  reporter: Reporter,
  change: ChangeUnderReview,
  verdict: Verdict,
  locale: string,
): Promise<readonly string[]> {
  const refusals: string[] = [];
  let accepted = 0;
  for (const finding of verdict.findings) {
    try {
      await reporter.call("aicr.report_problem", toProblem(finding, locale));
      accepted += 1;
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  const unseen = change.leftOut.has("large") || change.leftOut.has("missing");
  const incomplete = unseen || failedEngines(verdict).length > 0 || accepted < verdict.findings.length;
  if (accepted > 0 || incomplete) {
    await reporter.call("aicr.publish_summary", {
      title: text("summary.title", locale),
      markdown: writeSummary(change, verdict, locale),
    });
  } else {
    await reporter.call("aicr.skip", {
      reason: change.files.length === 0 && change.leftOut.size > 0 ? "no_reviewable_code" : "lgtm",
    });
  }
  return refusals;
}

function toProblem(finding: Complaint, locale: string): Readonly<Record<string, unknown>> {
  return {
    file: finding.file,
    line: finding.line,
    ...(finding.endLine !== undefined && finding.endLine > finding.line ? { end_line: finding.endLine } : {}),
    severity: finding.severity,
    category: finding.category,
    message: `${say(finding.message, locale)} (${finding.rule})`,
    ...(finding.suggestion === undefined ? {} : { suggestion: say(finding.suggestion, locale) }),
  };
}

function say(words: Words, locale: string): string {
  const said = "text" in words ? words.text : text(words.key, locale, words.params);
  return said.length > maxMessageCharacters
    ? `${said.slice(0, maxMessageCharacters).replace(/[\uD800-\uDBFF]$/, "")}…`
    : said;
}
