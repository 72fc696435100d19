// What a change introduced, told from what its base already had.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Complaint } from "../../../../src/agents/checks/complaint.ts";
import { type ChangedText, introducedBy, nearestAdded } from "../../../../src/agents/checks/introduced.ts";

const complaint = (line: number, more: Partial<Complaint> = {}): Complaint => ({
  rule: "lint/x",
  file: "a.js",
  line,
  severity: "medium",
  category: "correctness",
  message: { text: "wrong" },
  ...more,
});
const changed = (
  lines: readonly string[],
  baseLines: readonly string[] | null,
  ...added: readonly number[]
): ChangedText => ({
  lines,
  baseLines,
  added: added.map((line) => ({ start: line, end: line })),
});
const linesOf = (complaints: readonly Complaint[]): readonly number[] => complaints.map(({ line }) => line);

describe("introducedBy", () => {
  it("keeps complaints on added lines and drops those on untouched ones", () => {
    expect(linesOf(introducedBy(changed(["a", "b", "c"], ["a", "c"], 2), [complaint(1), complaint(2)], []))).toEqual([
      2,
    ]);
  });

  it("drops a defect that only moved or was indented anew", () => {
    expect(introducedBy(changed(["new", "  bad()"], ["bad()"], 1, 2), [complaint(2)], [complaint(1)])).toEqual([]);
  });

  it("counts: one of two equal defects is new", () => {
    const text = changed(["bad()", "x", "bad()"], ["bad()", "x"], 3);
    expect(linesOf(introducedBy(text, [complaint(1), complaint(3)], [complaint(1)]))).toEqual([3]);
  });

  it("blames the added one of several lines that take part", () => {
    const text = changed(["a: 1", "a: 2"], ["a: 1"], 2);
    expect(linesOf(introducedBy(text, [complaint(1, { related: [2] })], []))).toEqual([2]);
    expect(linesOf(introducedBy(changed(["a: 2", "a: 1"], ["a: 1"], 1), [complaint(1, { related: [2] })], []))).toEqual(
      [1],
    );
  });

  it("says nothing about syntax where the base could not be read either", () => {
    const syntax = complaint(2, { category: "syntax" });
    const text = changed(["(", "b"], ["("], 2);
    expect(introducedBy(text, [syntax], [complaint(1, { category: "syntax" })])).toEqual([]);
    expect(linesOf(introducedBy(text, [syntax], []))).toEqual([2]);
  });

  it("moves a syntax error that was noticed late to the nearest added line", () => {
    const text = changed(["f(", "b", "c"], ["f()", "b", "c"], 1);
    expect(linesOf(introducedBy(text, [complaint(3, { category: "syntax" })], []))).toEqual([1]);
  });

  it("does not blame a change for a name that the base missed as well", () => {
    const text = changed(["_(a)", "_(b)"], ["_(a)"], 2);
    expect(introducedBy(text, [complaint(2, { ambient: "name:_" })], [complaint(1, { ambient: "name:_" })])).toEqual(
      [],
    );
  });

  it("believes an author's note that a complaint is meant, but not in matters of security", () => {
    const text = changed(["# noqa: F821", "x", "y  # type: ignore[x]", "z"], null, 1, 2, 3, 4);
    const all = [2, 3, 4].map((line) => complaint(line));
    expect(linesOf(introducedBy(text, all, []))).toEqual([4]);
    expect(linesOf(introducedBy(text, [complaint(2, { category: "security" })], []))).toEqual([2]);
  });

  it("reports only added lines, and never more of a kind than the head has over the base", () => {
    const line = fc.constantFrom("bad()", "ok()", "bad();");
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 12 }),
        (head, base, picks) => {
          const find = (lines: readonly string[]): readonly Complaint[] =>
            lines.flatMap((text, index) => (text === "bad()" ? [complaint(index + 1)] : []));
          const added = [...new Set(picks)].filter((index) => index < head.length).map((index) => index + 1);
          const found = introducedBy(changed(head, base, ...added), find(head), find(base));
          expect(found.every(({ line }) => added.includes(line))).toBe(true);
          expect(found.length).toBeLessThanOrEqual(Math.max(0, find(head).length - find(base).length));
          if (base.length === 0)
            expect(found.length).toBe(find(head).filter(({ line }) => added.includes(line)).length);
        },
      ),
    );
  });
});

describe("nearestAdded", () => {
  const added = [
    { start: 3, end: 5 },
    { start: 9, end: 9 },
  ];
  it.each([
    [4, 4],
    [7, 5],
    [12, 9],
    [1, 3],
  ])("line %i → %i", (line, wanted) => expect(nearestAdded(added, line)).toBe(wanted));
  it("has no answer without added lines", () => expect(nearestAdded([], 1)).toBeNull());
});
