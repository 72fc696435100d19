// Clusters: which issues belong together, in which order, and what is said of them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cluster, shorten } from "../../../src/checks/cluster.ts";
import { checkMessages } from "../../../src/checks/messages.ts";
import type { Diagnostic } from "../../../src/ports/check-engine.ts";

const vi = checkMessages("vi");

function issue(file: string, line: number, more: Partial<Diagnostic> = {}): Diagnostic {
  return {
    engine: "tsc",
    rule: "TS2322",
    file,
    line,
    col: 1,
    severity: "error",
    message: "wrong",
    fixable: false,
    ...more,
  };
}

const many = (count: number, make: (index: number) => Diagnostic) =>
  Array.from({ length: count }, (_, index) => make(index));

describe("cluster", () => {
  it("D clusters: says ten issues of one rule over ten files as in the specification", () => {
    const { clusters, issues } = cluster(
      many(10, (i) => issue(`f${i}.ts`, 1)),
      vi,
    );
    expect(clusters).toEqual([
      {
        clusterId: "c1",
        rootCauseSummary: "10 lỗi TS2322 trên 10 file",
        ruleIds: ["TS2322"],
        issueCount: 10,
        fileCount: 10,
        priority: 1,
        suggestedAction: "Xem xét nguyên nhân chung của TS2322 trên 10 file",
        sampleIssueIds: [issues[0]?.issueId, issues[1]?.issueId],
      },
    ]);
    expect(new Set(issues.map((found) => found.issueId)).size).toBe(10);
    expect(issues.every((found) => found.clusterId === "c1")).toBe(true);
  });

  it.each([
    ["4 issues over 3 files are one", [2, 1, 1], [4]],
    ["3 issues over 3 files are three", [1, 1, 1], [1, 1, 1]],
    ["4 issues over 2 files are four", [2, 2], [1, 1, 1, 1]],
    ["4 issues in one file are one", [4], [4]],
    ["5 issues over 2 files, 4 of them in one, are that one and a single", [4, 1], [4, 1]],
  ])("D clusters: %s", (_, perFile, expected) => {
    const diagnostics = perFile.flatMap((count, file) => many(count, (line) => issue(`f${file}.ts`, line + 1)));
    expect(cluster(diagnostics, vi).clusters.map((found) => found.issueCount)).toEqual(expected);
  });

  it("D clusters: never mixes engines or rules", () => {
    const diagnostics = many(4, (i) => issue("a.ts", i + 1, i % 2 === 0 ? {} : { engine: "oxlint" }));
    expect(cluster(diagnostics, vi).clusters).toHaveLength(4);
  });

  it.each([
    [1, 1, { severity: "error", fixable: false }],
    [2, 1, { severity: "warning", fixable: false }],
    [3, 1, { severity: "error", fixable: true }],
    [4, 1, { severity: "warning", fixable: true }],
    [1, 4, { severity: "error", fixable: false }],
    [2, 4, { severity: "warning", fixable: false }],
    [5, 4, { severity: "error", fixable: true }],
    [5, 4, { severity: "warning", fixable: true }],
  ] as const)("D clusters: priority %i: %i issue(s), %o", (priority, count, more) => {
    expect(
      cluster(
        many(count, (i) => issue("a.ts", i + 1, more)),
        vi,
      ).clusters,
    ).toMatchObject([{ priority }]);
  });

  it("D clusters: orders by priority, count, rule and file, and names the ids in that order", () => {
    const { clusters } = cluster(
      [
        issue("z.ts", 1, { rule: "B" }),
        issue("a.ts", 1, { rule: "B" }),
        issue("a.ts", 1, { rule: "A", severity: "warning" }),
        ...many(4, (i) => issue("m.ts", i + 1, { rule: "Z" })),
      ],
      vi,
    );
    expect(clusters.map((found) => [found.clusterId, found.ruleIds[0], found.issueCount])).toEqual([
      ["c1", "Z", 4],
      ["c2", "B", 1],
      ["c3", "B", 1],
      ["c4", "A", 1],
    ]);
    expect(clusters[1]?.rootCauseSummary).toBe("wrong (a.ts:1)");
  });

  it("D clusters: shows ten clusters, says that there are more, and keeps all issues", () => {
    const found = cluster(
      many(11, (i) => issue("a.ts", 1, { rule: `R${i}` })),
      vi,
    );
    expect(found.clusters).toHaveLength(10);
    expect(found.truncated).toBe(true);
    expect(found.issues).toHaveLength(11);
    expect(
      cluster(
        many(10, (i) => issue("a.ts", 1, { rule: `R${i}` })),
        vi,
      ).truncated,
    ).toBe(false);
  });

  it("D clusters: gives ids that do not depend on the order of reports", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            file: fc.constantFrom("a", "b", "c"),
            line: fc.integer({ min: 1, max: 4 }),
            rule: fc.constantFrom("x", "y"),
          }),
        ),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (places, random) => {
          const diagnostics = places.map(({ file, line, rule }) => issue(file, line, { rule }));
          const shuffled = diagnostics
            .map((found) => ({ found, at: random.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ found }) => found);
          const result = cluster(diagnostics, vi);
          expect(cluster(shuffled, vi)).toEqual(result);
          expect(new Set(result.issues.map((found) => found.issueId)).size).toBe(diagnostics.length);
          expect(result.issues.filter((found) => found.clusterId === undefined)).toEqual([]);
        },
      ),
    );
  });
});

describe("shorten", () => {
  it("D message: makes one line of at most 120 and splits no grapheme cluster", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(shorten("a\n  b\tc")).toBe("a b c");
    expect(shorten("x".repeat(120))).toHaveLength(120);
    expect(shorten("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
    expect(shorten(`${"x".repeat(115)}${family}y`)).toBe(`${"x".repeat(115)}…`);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 60, maxLength: 200 }), (text) => {
        const short = shorten(text);
        expect(short.length).toBeLessThanOrEqual(120);
        expect(short).not.toMatch(/[\n\r]/);
        expect(Buffer.from(short).toString()).toBe(short);
      }),
    );
  });
});
