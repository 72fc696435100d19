// Running inspectors side by side: failures stay apart, findings are one a place, and files are capped.
import { describe, expect, it } from "vitest";
import type { ChangeUnderReview, ReviewedFile } from "../../../../src/agents/checks/change-under-review.ts";
import { type Complaint, type Inspector, inspected } from "../../../../src/agents/checks/complaint.ts";
import { createInspectChange, maxFindings, maxFindingsPerFile } from "../../../../src/agents/checks/inspect-change.ts";
import { reportVerdict } from "../../../../src/agents/checks/report-verdict.ts";
import type { Reporter } from "../../../../src/agents/checks/reporter.ts";

const file = (path: string, text: string): ReviewedFile => {
  const lines = text.split("\n");
  return {
    path,
    text,
    lines,
    basePath: null,
    baseText: null,
    baseLines: null,
    added: [{ start: 1, end: lines.length }],
  };
};
const change = (...files: readonly ReviewedFile[]): ChangeUnderReview => ({ files, leftOut: new Map() });
const complaint = (path: string, line: number, rule = "x/y"): Complaint => ({
  rule,
  file: path,
  line,
  severity: "low",
  category: "correctness",
  message: { text: `wrong at ${line}` },
});
const inspector = (name: string, inspect: Inspector["inspect"], fits: Inspector["fits"] = () => true): Inspector => ({
  name,
  fits,
  inspect,
});
const sides = { source: "/source", base: "/base" };
const signal = new AbortController().signal;

function recorder(): {
  readonly reporter: Reporter;
  readonly calls: (readonly [string, Readonly<Record<string, unknown>>])[];
} {
  const calls: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  return {
    calls,
    reporter: {
      call: async (tool, input) => void calls.push([tool, input]),
      close: async () => {},
    },
  };
}

describe("createInspectChange", () => {
  it("keeps the linter's words where the compiler says the same of one line", async () => {
    const both = inspector("engines", async () =>
      inspected("engines", [
        complaint("a.ts", 1, "tsc/TS1117"),
        complaint("a.ts", 1, "lint/no-dupe-keys"),
        complaint("a.ts", 2, "tsc/TS1117"),
        complaint("b.ts", 1, "lint/no-unreachable"),
        complaint("b.ts", 1, "tsc/TS2322"),
      ]),
    );
    const inspect = createInspectChange({ inspectors: [both], sides });
    const { findings } = await inspect(change(file("a.ts", "1\n2"), file("b.ts", "1")), signal);
    expect(findings.map(({ file: path, line, rule }) => `${path}:${line} ${rule}`)).toEqual([
      "a.ts:1 lint/no-dupe-keys",
      "a.ts:2 tsc/TS1117",
      "b.ts:1 lint/no-unreachable",
      "b.ts:1 tsc/TS2322",
    ]);
  });

  it("keeps the others' findings when an inspector fails, and says which failed", async () => {
    const inspectChange = createInspectChange({
      sides,
      inspectors: [
        inspector("good", async () => inspected("good", [complaint("a", 1)])),
        inspector("bad", async () => {
          throw new Error("out of memory");
        }),
      ],
    });
    const verdict = await inspectChange(change(file("a", "x")), signal);
    expect(verdict.findings).toHaveLength(1);
    expect(verdict.engines.get("bad")).toEqual({ status: "error", message: "out of memory" });
  });

  it("reports a place once for each rule and at most so many for each file", async () => {
    const all = Array.from({ length: 30 }, (_, index) => complaint("a", index + 1));
    const inspectChange = createInspectChange({
      sides,
      inspectors: [inspector("i", async () => inspected("i", [...all, ...all]))],
    });
    const verdict = await inspectChange(change(file("a", "x\n".repeat(40))), signal);
    expect(verdict.findings).toHaveLength(maxFindingsPerFile);
    expect(verdict.capped.get("a")).toBe(10);
  });

  it("keeps the gravest of a change with too many findings, and counts the rest", async () => {
    const files = Array.from({ length: 30 }, (_, index) => file(`f${index}`, "x\n".repeat(12)));
    const all = files.flatMap(({ path }) => Array.from({ length: 10 }, (_, index) => complaint(path, index + 1)));
    const grave: Complaint = { ...complaint("f29", 11), severity: "critical" };
    const inspectChange = createInspectChange({
      sides,
      inspectors: [inspector("i", async () => inspected("i", [...all, grave]))],
    });
    const verdict = await inspectChange(change(...files), signal);
    expect(verdict.findings).toHaveLength(maxFindings);
    expect(verdict.findings[0]).toMatchObject({ file: "f29", line: 11 });
    expect([...verdict.capped.values()].reduce((sum, count) => sum + count, 0)).toBe(301 - maxFindings);
  });

  it("asks only inspectors that have a file, and looks at the base only where there is something to compare", async () => {
    const roots: string[] = [];
    const modified = { ...file("a", "x"), basePath: "a", baseText: "", baseLines: [""] };
    const inspectChange = createInspectChange({
      sides,
      inspectors: [
        inspector("clean", async (side) => {
          roots.push(side.root);
          return inspected("clean", []);
        }),
        inspector(
          "never",
          () => Promise.reject(new Error("not asked")),
          () => false,
        ),
      ],
    });
    const verdict = await inspectChange(change(modified), signal);
    expect(roots).toEqual(["/source"]);
    expect([...verdict.engines.keys()]).toEqual(["clean"]);
  });

  it("blames nobody when the base could not be inspected", async () => {
    const modified = { ...file("a", "x"), basePath: "a", baseText: "", baseLines: [""] };
    const inspectChange = createInspectChange({
      sides,
      inspectors: [
        inspector("i", async (side) =>
          side.root === "/base"
            ? { complaints: [], engines: { i: { status: "error", message: "gone" } } }
            : inspected("i", [complaint("a", 1)]),
        ),
      ],
    });
    const verdict = await inspectChange(change(modified), signal);
    expect(verdict.findings).toEqual([]);
    expect(verdict.engines.get("i")).toEqual({ status: "error", message: "gone" });
  });
});

describe("reportVerdict", () => {
  const clean = { findings: [], capped: new Map(), engines: new Map([["oxlint", { status: "ok" as const }]]) };

  it("skips a change without findings", async () => {
    const { reporter, calls } = recorder();
    await reportVerdict(reporter, change(file("a", "x")), clean, "en");
    expect(calls).toEqual([["aicr.skip", { reason: "lgtm" }]]);
  });

  it("says that nothing was reviewable when all files were left out", async () => {
    const { reporter, calls } = recorder();
    await reportVerdict(reporter, { files: [], leftOut: new Map([["lock", 2]]) }, clean, "en");
    expect(calls).toEqual([["aicr.skip", { reason: "no_reviewable_code" }]]);
  });

  it.each([
    ["en", "did not finish"],
    ["zh-CN", "没有完成"],
    ["vi", "không hoàn tất"],
  ])("does not approve when an engine failed (%s)", async (locale, words) => {
    const { reporter, calls } = recorder();
    const verdict = { ...clean, engines: new Map([["tsc", { status: "error" as const, message: "timed out" }]]) };
    await reportVerdict(reporter, change(file("a.ts", "x")), verdict, locale);
    expect(calls.map(([tool]) => tool)).toEqual(["aicr.publish_summary"]);
    expect(calls[0]?.[1]["markdown"]).toContain(words);
    expect(calls[0]?.[1]["markdown"]).toContain("timed out");
  });

  it("does not approve files that were too large to be read", async () => {
    const { reporter, calls } = recorder();
    await reportVerdict(reporter, { files: [], leftOut: new Map([["large", 1]]) }, clean, "en");
    expect(calls.map(([tool]) => tool)).toEqual(["aicr.publish_summary"]);
  });

  it("goes on after a refused call and hands the refusal back", async () => {
    const calls: string[] = [];
    const reporter: Reporter = {
      call: async (tool, input) => {
        if (input["line"] === 1) throw new Error("line 1 is not commentable");
        calls.push(tool);
      },
      close: async () => {},
    };
    const verdict = { ...clean, findings: [complaint("a", 1), complaint("a", 2)] };
    expect(await reportVerdict(reporter, change(file("a", "x\ny")), verdict, "en")).toEqual([
      "line 1 is not commentable",
    ]);
    expect(calls).toEqual(["aicr.report_problem", "aicr.publish_summary"]);
  });
});
