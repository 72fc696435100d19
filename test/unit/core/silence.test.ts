// CONTRACT §B, cell by cell: who hears what.
import { describe, expect, it } from "vitest";
import type { Report } from "../../../src/core/report.ts";
import { type Decision, decide, type Listener, type SilenceInput } from "../../../src/core/silence.ts";
import { assessed } from "../../fakes/problems.ts";

const feed = (overrides: Partial<Extract<Listener, { kind: "subscription" }>> = {}): Listener => ({
  kind: "subscription",
  mode: "report",
  severity: "info",
  noProblems: "suppress",
  ...overrides,
});
const audit = feed({ mode: "audit" });
const asker: Listener = { kind: "asker" };

const problems: Report = {
  outcome: "reported",
  problems: [assessed("f1", "high"), assessed("f2", "low")],
  summaries: [],
};
const clean: Report = { outcome: "clean", summaries: [{ markdown: "All fine." }] };
const skipped: Report = { outcome: "skipped", reason: "lgtm", summaries: [] };

const ask = (listener: Listener, report: Report | "failed", more: Partial<SilenceInput> = {}): readonly Decision[] =>
  decide({
    verdict: report === "failed" ? { kind: "failed" } : { kind: "report", report },
    listener,
    shown: new Set(),
    dismissed: new Set(),
    resolved: [],
    ...more,
  });
const says = (decisions: readonly Decision[]) =>
  decisions.map((one) => (one.say === "nothing" ? `nothing: ${one.reason}` : one.say));

describe("silence", () => {
  it.each<[string, Listener, Report | "failed", string[]]>([
    ["problems, report", feed(), problems, ["report"]],
    ["problems, audit", audit, problems, ["report", "audit"]],
    ["problems, asker", asker, problems, ["report"]],
    ["skip, report", feed(), skipped, ["nothing: lgtm"]],
    ["skip, audit", audit, skipped, ["audit"]],
    ["skip, asker", asker, skipped, ["answer"]],
    ["clean, report, suppress", feed(), clean, ["nothing: no_problems_suppressed"]],
    ["clean, report, publish_if_summary", feed({ noProblems: "publish_if_summary" }), clean, ["report"]],
    ["clean, report, publish", feed({ noProblems: "publish" }), clean, ["report"]],
    ["clean, audit", audit, clean, ["audit"]],
    ["clean, asker", asker, clean, ["answer"]],
    ["failed, report", feed(), "failed", ["nothing: failed"]],
    ["failed, audit", audit, "failed", ["audit"]],
    ["failed, asker", asker, "failed", ["failure"]],
  ])("%s", (_name, listener, report, expected) => {
    expect(says(ask(listener, report))).toEqual(expected);
  });

  it("publishes a clean result without a summary only by `publish`", () => {
    const bare: Report = { outcome: "clean", summaries: [] };
    expect(says(ask(feed({ noProblems: "publish_if_summary" }), bare))).toEqual(["nothing: no_problems_suppressed"]);
    expect(says(ask(feed({ noProblems: "publish" }), bare))).toEqual(["report"]);
  });

  it("treats problems that are all under the floor as none, and counts what a floor leaves out", () => {
    const low: Report = { outcome: "reported", problems: [assessed("f2", "low")], summaries: [] };
    expect(says(ask(feed({ severity: "high" }), low))).toEqual(["nothing: no_problems_suppressed"]);
    expect(ask(feed({ severity: "high" }), problems)).toEqual([
      { say: "report", facts: { fresh: ["f1"], stillOpen: [], resolved: [], belowFloor: 1 } },
    ]);
  });

  it("edits the root and posts nothing new when every problem was shown already", () => {
    const shown = new Set(["f1", "f2"]);
    expect(ask(feed(), problems, { shown })).toEqual([
      { say: "report", facts: { fresh: [], stillOpen: ["f1", "f2"], resolved: [], belowFloor: 0, editOnly: true } },
    ]);
    expect(says(ask(audit, problems, { shown }))).toEqual(["audit"]);
  });

  it("adds only what is new to what was shown", () => {
    expect(ask(asker, problems, { shown: new Set(["f2"]), resolved: ["f0"] })).toEqual([
      { say: "report", facts: { fresh: ["f1"], stillOpen: ["f2"], resolved: ["f0"], belowFloor: 0 } },
    ]);
  });

  it("keeps a dismissed finding silent", () => {
    expect(says(ask(feed(), problems, { dismissed: new Set(["f1", "f2"]) }))).toEqual([
      "nothing: no_problems_suppressed",
    ]);
    expect(says(ask(asker, problems, { dismissed: new Set(["f1", "f2"]) }))).toEqual(["answer"]);
  });
});
