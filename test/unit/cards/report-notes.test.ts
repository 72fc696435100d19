// Notes of a report in every place where people read them, in every language.
import { describe, expect, it } from "vitest";
import { composeAnswer } from "../../../src/cards/compose-answer.ts";
import { composeAudit } from "../../../src/cards/compose-audit.ts";
import { composeReport } from "../../../src/cards/compose-report.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import { createSilenceCard } from "../../../src/cards/silence-cards.ts";
import type { Card } from "../../../src/core/card.ts";
import { locales } from "../../../src/core/locale.ts";
import type { Report, ReportNote } from "../../../src/core/report.ts";
import { reportNoteKinds } from "../../../src/core/report.ts";
import type { Review } from "../../../src/core/review.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { assessed } from "../../fakes/problems.ts";

const texts = createTexts();
const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: "main",
  agent: "deep",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "push" },
  status: "skipped",
  attempt: 1,
  createdAt: 0,
};
const params = { n: 2, paths: "src/*auth*.ts, b.ts", models: "qwen_3", agent: "deep", by: "checks", limit: "tokens" };
const notes: readonly ReportNote[] = reportNoteKinds.map((kind) => ({ kind, params }));
const skipped: Report = { outcome: "skipped", reason: "lgtm", summaries: [], notes };

const read = (card: Card): string => readableText(card);

describe("notes of a report", () => {
  it("stand on the card, in the answer, in the audit line and in the answer to why", () => {
    const about = { texts, review, locale: "en", links: noLinks };
    const reported: Report = { outcome: "reported", problems: [assessed("p1")], summaries: [], notes };
    const places = [
      read(composeReport({ ...about, report: reported, threadLimit: 5 }).root),
      read(composeAnswer({ ...about, report: skipped })),
      read(composeAudit({ ...about, report: skipped })),
      read(
        createSilenceCard({ texts })(
          { repository: "demo", rev: "main", reviews: [{ review, lines: [], notes }], pushes: [], timeZone: "UTC" },
          "en",
        ),
      ),
    ];
    for (const text of places) {
      expect(text).toContain("2 changed files were not read by the reviewer: src/*auth*.ts, b.ts");
      expect(text).toContain("Read by qwen_3.");
      expect(text).toContain("although it touches 2 high-risk files");
      expect(text).toContain("deep gave no result; checks reviewed the change instead.");
      expect(text).toContain("stopped at its limit of tokens");
    }
  });

  it.each(locales)("have words in %s", (locale) => {
    const text = read(composeAnswer({ texts, review, locale, links: noLinks, report: skipped }));
    for (const word of ["src/*auth*.ts", "qwen_3", "checks"]) expect(text).toContain(word);
    expect(text).not.toContain("report.note");
    for (const [index, kind] of reportNoteKinds.entries()) {
      const english = texts.text(`report.note.${kind}`, "en", params);
      if (locale !== "en") expect(texts.text(`report.note.${kind}`, locale, params), `${index}`).not.toBe(english);
    }
  });
});
