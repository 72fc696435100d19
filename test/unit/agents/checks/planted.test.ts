// Judges the checks by planted defects: how many are found on their exact line, and how much else is said.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInspectChange, type Verdict } from "../../../../src/agents/checks/inspect-change.ts";
import { createInspectors } from "../../../../src/agents/checks/inspectors.ts";
import { createCheckEngines } from "../../../../src/checks/engines.ts";
import { layOut, readPlanted } from "./planted.ts";

const planted = readPlanted();
const root = mkdtempSync(join(tmpdir(), "aicr-planted-"));
let verdict: Verdict;

beforeAll(async () => {
  const inspectChange = createInspectChange({
    inspectors: createInspectors(createCheckEngines({ trust: "foreign" })),
    sides: layOut(planted, root),
  });
  verdict = await inspectChange({ files: planted, leftOut: new Map() }, new AbortController().signal);
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const place = (file: string, line: number, category: string): string => `${file}:${line} ${category}`;

describe("planted defects", () => {
  const wanted = planted.flatMap((file) =>
    [...file.expected].map(([line, category]) => place(file.path, line, category)),
  );

  it("are enough, of many kinds, and have hard negatives beside them", () => {
    expect(wanted.length).toBeGreaterThanOrEqual(60);
    expect(new Set(planted.map((file) => file.path)).size).toBe(planted.length);
    expect(planted.filter((file) => file.expected.size === 0).length).toBeGreaterThanOrEqual(25);
    expect(new Set(planted.map((file) => file.path.slice(file.path.lastIndexOf(".")))).size).toBeGreaterThanOrEqual(15);
  });

  it("are found on their exact lines with recall of at least 0.8 and precision of at least 0.95", () => {
    const found = verdict.findings.map((finding) => place(finding.file, finding.line, finding.category));
    const missed = wanted.filter((each) => !found.includes(each));
    const surplus = verdict.findings.filter(
      (finding) => !wanted.includes(place(finding.file, finding.line, finding.category)),
    );
    const recall = 1 - missed.length / wanted.length;
    const precision = 1 - surplus.length / found.length;
    const report = [
      `recall ${recall.toFixed(3)} of ${wanted.length}, precision ${precision.toFixed(3)} of ${found.length}`,
      ...missed.map((each) => `missed  ${each}`),
      ...surplus.map(
        (each) => `surplus ${each.file}:${each.line} ${each.category} ${each.rule} ${JSON.stringify(each.message)}`,
      ),
    ].join("\n");
    if (process.env["AICR_SHOW_CORPUS"] === "1") console.log(report);
    expect(recall, report).toBeGreaterThanOrEqual(0.8);
    expect(precision, report).toBeGreaterThanOrEqual(0.95);
  });

  it("every engine finishes", () => {
    expect([...verdict.engines].filter(([, status]) => status.status !== "ok")).toEqual([]);
    expect([...verdict.engines.keys()]).toEqual(
      expect.arrayContaining(["oxlint", "tsc", "biome", "secretlint", "ruff", "actionlint", "ast-grep"]),
    );
  });
});
