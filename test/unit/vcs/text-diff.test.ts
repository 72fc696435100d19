// Contents compared by ourselves: the hunks lead from the old side to the new one, whatever bytes the sides hold.
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Diff, type DiffFile, hunkLines } from "../../../src/core/diff.ts";
import { processes } from "../../../src/process/spawn.ts";
import { diffTexts, type TextPair } from "../../../src/vcs/text-diff.ts";
import { temporaryDirectory } from "../../fakes/git-repository.ts";

const made = temporaryDirectory();
afterAll(made.remove);
const options = { processes, directory: made.path, path: process.env["PATH"] ?? "" };
const limits = { remainingMs: () => 60_000, maxBytes: 256 << 20 };

function pair(name: string, old: string | Buffer | null, fresh: string | Buffer | null): TextPair {
  const kind = old === null ? "add" : fresh === null ? "delete" : "modify";
  return {
    file: { oldPath: old === null ? null : name, newPath: fresh === null ? null : name, kind },
    old: old === null ? null : Buffer.from(old),
    new: fresh === null ? null : Buffer.from(fresh),
  };
}

async function compare(pairs: readonly TextPair[], maxBytes = limits.maxBytes) {
  const result = await diffTexts(pairs, options, { ...limits, maxBytes });
  if (result.outcome === "failed") throw new Error(`failed: ${result.result.stderr.toString()}`);
  return result;
}

/** The new side, made from the old one by the hunks. */
function applied(diff: Diff, file: DiffFile, old: Uint8Array): Buffer {
  const source = Buffer.from(old).toString("latin1");
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of file.hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    out.push(...lines.slice(at, start));
    at = start;
    for (const line of hunkLines(diff, hunk)) {
      const text = Buffer.from(diff.bytes).toString("latin1", line.start, line.breakEnd);
      if (line.kind !== "added") expect(lines[at++]).toBe(text);
      if (line.kind !== "deleted") out.push(text);
    }
  }
  out.push(...lines.slice(at));
  return Buffer.from(out.join(""), "latin1");
}

describe("diffTexts", () => {
  it("gives every pair its own name and kind, in order, equal and empty ones too", async () => {
    const pairs = [
      pair("a @b.txt", "1\n2\n", "1\n3\n"),
      pair("same", "x\n", "x\n"),
      pair("fresh", null, "new\n"),
      pair("gone", "old\n", null),
      pair("empty", null, ""),
      { ...pair("", "1\r\n2", "1\r\n2\r\n"), file: { oldPath: "from", newPath: "to", kind: "rename" as const } },
    ];
    const { diff, omitted } = await compare(pairs);
    expect(omitted).toEqual([]);
    expect(diff.files.map(({ oldPath, newPath, kind, hunks }) => [oldPath, newPath, kind, hunks.length])).toEqual([
      ["a @b.txt", "a @b.txt", "modify", 1],
      ["same", "same", "modify", 0],
      [null, "fresh", "add", 1],
      ["gone", null, "delete", 1],
      [null, "empty", "add", 0],
      ["from", "to", "rename", 1],
    ]);
    expect(readdirSync(made.path)).toEqual([]);
  });

  it("keeps whole files where the diff is larger than its limit, and says which are left out", async () => {
    const { diff, omitted } = await compare([pair("a", null, "x\n"), pair("b", null, "y\n".repeat(1000))], 600);
    expect(diff.files.map((file) => file.newPath)).toEqual(["a"]);
    expect(omitted).toEqual([1]);
  });

  it("compares lines of many megabytes and a huge addition", async () => {
    const long = Buffer.alloc(20 << 20, "x");
    const lines = Buffer.from(Array.from({ length: 300_000 }, (_, line) => `line ${line}\n`).join(""));
    const { diff } = await compare([
      pair("long", long, Buffer.concat([long, Buffer.from("y")])),
      pair("huge", null, lines),
    ]);
    expect(diff.files.map((file) => file.hunks.map((hunk) => hunk.newLines))).toEqual([[1], [300_000]]);
  });

  it("reports a failure as one, never as an empty diff", async () => {
    const none = await diffTexts([pair("a", "1\n", "2\n")], { ...options, path: "/nonexistent" }, limits);
    expect(none).toMatchObject({ outcome: "failed", result: { reason: "spawn_failed" } });
    const late = await diffTexts([pair("a", "1\n", "2\n")], options, { ...limits, remainingMs: () => 0 });
    expect(late).toMatchObject({ outcome: "failed", result: { reason: "timeout" } });
    expect(readdirSync(made.path)).toEqual([]);
  });

  it("property: old - deleted + added = new, for NULs, CRs, missing last line feeds and invalid UTF-8", async () => {
    const text = fc
      .array(
        fc.constantFrom("a\n", "b\n", "b\r\n", "\n", "\0\n", "\r", "--- x\n", "++ y\n", "\xe9\n", "@@ -1 +1 @@\n", "c"),
        {
          maxLength: 12,
        },
      )
      .map((parts) => Buffer.from(parts.join(""), "latin1"));
    const sides = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sides, async (tuples) => {
        const { diff } = await compare(tuples.map(([old, fresh], index) => pair(String(index), old, fresh)));
        for (const [index, [old, fresh]] of tuples.entries()) {
          expect(applied(diff, diff.files[index] as DiffFile, old)).toEqual(fresh);
        }
      }),
      { numRuns: 15 },
    );
  });
});
