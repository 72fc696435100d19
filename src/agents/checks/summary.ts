// Writes the summary: what was looked at by what, and what was not, so that silence never passes for approval.
import { type ChangeUnderReview, maxFileBytes } from "./change-under-review.ts";
import type { Verdict } from "./inspect-change.ts";
import { text } from "./texts.ts";

/** Checks that are part of the agent itself are not worth naming. */
const own = new Set(["conflict-markers", "hidden-characters", "data", "text-rules"]);

/** Engines that did not finish, with why. */
export function failedEngines(verdict: Verdict): readonly (readonly [engine: string, message: string])[] {
  return [...verdict.engines].flatMap(([engine, status]) =>
    status.status === "error" ? [[engine, status.message] as const] : [],
  );
}

export function writeSummary(change: ChangeUnderReview, verdict: Verdict, locale: string): string {
  const finished = [...verdict.engines].flatMap(([engine, status]) =>
    status.status === "ok" && !own.has(engine) ? [engine] : [],
  );
  const paragraphs = [
    text("summary.checked", locale, {
      files: change.files.length,
      engines: finished.toSorted().join(", ") || text("summary.textChecks", locale),
    }),
  ];
  for (const [engine, message] of failedEngines(verdict)) {
    paragraphs.push(text("summary.failed", locale, { engine, message: oneLine(message) }));
  }
  if (verdict.capped.size > 0) {
    const files = [...verdict.capped]
      .slice(0, 20)
      .map(([file, count]) => `\`${file.replaceAll("`", "'")}\` (${count})`)
      .join(", ");
    const count = [...verdict.capped.values()].reduce((sum, each) => sum + each, 0);
    paragraphs.push(text("summary.capped", locale, { count, files }));
  }
  if (change.leftOut.size > 0) {
    const list = [...change.leftOut]
      .map(([why, count]) => text(`summary.reason.${why}`, locale, { count, limit: maxFileBytes / (1024 * 1024) }))
      .join(", ");
    paragraphs.push(text("summary.skipped", locale, { list }));
  }
  return paragraphs.join("\n\n");
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, " ").trim().slice(0, 300);
}
