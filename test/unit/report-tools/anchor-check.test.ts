// A wrong anchor is refused with the places that can be used; what cannot be judged is let through.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProblemAnchor } from "../../../src/report-tools/anchor-check.ts";
import { changedFile, changeFacts } from "../../fakes/change-facts.ts";

const facts = changeFacts();
const check = (file: string, line: number, end_line?: number) => checkProblemAnchor(facts, { file, line, end_line });

describe("checkProblemAnchor", () => {
  it.each([
    [10, undefined],
    [14, undefined],
    [20, undefined],
    [10, 20],
    [43, 46],
  ])("accepts line %d to %s of a hunk", (line, end) => {
    expect(check("src/service.ts", line, end)).toBeNull();
  });

  it("offers the nearest lines, in order, and names the added ones of the nearest hunk", () => {
    expect(check("src/service.ts", 38)).toBe(
      "line 38 of src/service.ts is not in the diff. Nearest lines that can be used: 10-20, 40-46 (added: 43).",
    );
  });

  it("keeps a range within one hunk", () => {
    expect(check("src/service.ts", 12, 40)).toContain("That hunk has the lines 10-20");
  });

  it.each([
    ["src/gone.ts", "deleted"],
    ["src/new-name.ts", "only renamed"],
    ["logo.png", "binary"],
  ])("sends what concerns %s to the summary", (file, word) => {
    expect(check(file, 1)).toMatch(new RegExp(`${word}.*Put what concerns it in the summary`));
  });

  it("tells the new name of a renamed file, and files of the same name elsewhere", () => {
    expect(check("src/old-name.ts", 1)).toContain("use src/new-name.ts");
    expect(check("lib/service.ts", 10)).toContain("Did you mean: src/service.ts?");
    expect(check("nowhere.ts", 10)).toContain("Changed files are: src/service.ts?");
  });

  it("lets through what it cannot judge: an omitted diff, a file beyond a cut list", () => {
    expect(check("src/huge.ts", 77)).toBeNull();
    const cut = changeFacts({ truncated: true });
    expect(checkProblemAnchor(cut, { file: "not/listed.ts", line: 1, end_line: undefined })).toBeNull();
  });

  it("accepts exactly the lines of the hunks, and every line it offers is accepted", () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 })), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 200 }), (steps, line) => {
        let next = 1;
        const hunks = steps.map(([gap, length]) => {
          const start = next + gap;
          next = start + length + 1;
          return { start, end: start + length };
        });
        const change = changeFacts({ files: [changedFile({ path: "f", hunks })] });
        const at = (candidate: number) =>
          checkProblemAnchor(change, { file: "f", line: candidate, end_line: undefined });
        const inside = hunks.some(({ start, end }) => start <= line && line <= end);
        const refusal = at(line);
        expect(refusal === null).toBe(inside);
        const offered = refusal?.split("used: ")[1]?.match(/\d+/g) ?? [];
        for (const candidate of offered) expect(at(Number(candidate))).toBeNull();
      }),
    );
  });
});
