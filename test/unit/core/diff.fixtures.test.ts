// Every judged diff agrees with its truth, which was taken from blobs and tree entries and never from a parser.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type DiffFile, hunkLines, lineText, readDiff, readHunks } from "../../../src/core/diff.ts";
import { applyHunks } from "./diff-apply.ts";

interface Truth {
  readonly status: "A" | "M" | "D" | "R" | "C";
  readonly old: string | null;
  readonly new: string | null;
  readonly oldMode?: string | null;
  readonly newMode?: string | null;
  readonly oldBlob: string | null;
  readonly newBlob: string | null;
}

const folder = new URL("../../fixtures/diffs/", import.meta.url);
const p4Folder = new URL("../../fixtures/p4-hunks/", import.meta.url);
const kinds = { A: "add", M: "modify", D: "delete", R: "rename", C: "copy" } as const;
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".diff"))
  .map((name) => name.slice(0, -5));

test("there are fixtures to judge by", () => {
  expect(names.length).toBeGreaterThanOrEqual(29);
});

describe.each(names)("%s", (name) => {
  const bytes = readFileSync(new URL(`${name}.diff`, folder));
  const truths = JSON.parse(readFileSync(new URL(`${name}.truth.json`, folder), "utf8")) as readonly Truth[];
  const diff = readDiff(bytes);
  // Svn shows property changes of directories, which are no files and not in the truth.
  const files = diff.files.filter((file) => !file.propertiesOnly || truths.some((truth) => truth.new === file.newPath));

  test("names the same files with the same fate", () => {
    expect(files.map(({ kind, oldPath, newPath }) => ({ kind, oldPath, newPath }))).toEqual(
      truths.map((truth) => ({ kind: kinds[truth.status], oldPath: truth.old, newPath: truth.new })),
    );
  });

  test("gives the modes", () => {
    for (const [index, truth] of truths.entries()) {
      const file = files[index] as DiffFile;
      if (isMode(truth.oldMode) && file.oldMode !== undefined) expect(file.oldMode).toBe(truth.oldMode);
      if (isMode(truth.newMode) && file.newMode !== undefined) expect(file.newMode).toBe(truth.newMode);
      // A pure rename or copy has no line that says a mode.
      const says = isMode(truth.newMode) && (file.hunks.length > 0 || truth.oldMode !== truth.newMode);
      if (says && truth.new !== null) expect(file.newMode).toBe(truth.newMode);
    }
  });

  test("the old content with its hunks applied is the new content", () => {
    for (const [index, truth] of truths.entries()) {
      const file = files[index] as DiffFile;
      const old = Buffer.from(truth.oldBlob ?? "", "base64");
      const fresh = Buffer.from(truth.newBlob ?? "", "base64");
      if (file.isBinary) {
        expect(old.includes(0) || fresh.includes(0)).toBe(true);
        expect(file.hunks).toEqual([]);
      } else if (truth.oldMode === "160000") {
        const lines = [...hunkLines(diff, file.hunks[0] as (typeof file.hunks)[number])];
        expect(lines.map((line) => lineText(diff, line).split(" ")[0])).toEqual(["Subproject", "Subproject"]);
      } else expect(applyHunks(diff, file.hunks, old).toString("latin1")).toBe(fresh.toString("latin1"));
    }
  });
});

function isMode(mode: string | null | undefined): mode is string {
  return typeof mode === "string" && mode !== "000000";
}

describe("hunks of Perforce's own engine", () => {
  const contents: Readonly<Record<string, string>> = {
    a: "a\nb\nc\nd\ne\nf\ng\n",
    b: "a\nB\nc\nd\ne\nf\ng\nh",
    empty: "",
    one: "x\n",
    one_nonl: "x",
    cr: "p\rq\rr\n",
    cr2: "p\rQ\rr\n",
    crlf: "a\r\nb\r\nc\r\n",
    crlf2: "a\r\nB\r\nc\r\n",
  };
  const cases = readdirSync(p4Folder);
  test("there are some", () => expect(cases.length).toBeGreaterThanOrEqual(10));

  test.each(cases)("%s", (name) => {
    const [from, to] = name.replace(/(\.u0)?\.txt$/, "").split("-to-") as [string, string];
    const bytes = readFileSync(new URL(name, p4Folder));
    const hunks = readHunks(bytes);
    expect(hunks.length).toBeGreaterThan(0);
    expect(applyHunks({ bytes }, hunks, Buffer.from(contents[from] ?? "?")).toString()).toBe(contents[to]);
  });

  test("an empty side is renumbered to git's convention", () => {
    const [, second] = readHunks(readFileSync(new URL("a-to-b.u0.txt", p4Folder)));
    expect(second).toMatchObject({ oldStart: 7, oldLines: 0, newStart: 8, newLines: 1 });
    const [added] = readHunks(readFileSync(new URL("empty-to-one.txt", p4Folder)));
    expect(added).toMatchObject({ oldStart: 0, oldLines: 0, newStart: 1 });
    const [gone] = readHunks(readFileSync(new URL("one-to-empty.txt", p4Folder)));
    expect(gone).toMatchObject({ newStart: 0, newLines: 0, oldStart: 1 });
  });
});
