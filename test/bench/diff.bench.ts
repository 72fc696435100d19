// How fast a diff is read, against the bare walk over its newlines and against parse-diff.
import parseDiff from "parse-diff";
import { readDiff } from "../../src/core/diff.ts";
import { type Bench, type BenchRow, interleave } from "./bench.ts";

export const bench: Bench = async () => {
  const rows: BenchRow[] = [];
  for (const { lines, faster } of [
    { lines: 10_000, faster: 3 },
    { lines: 100_000, faster: 5 },
  ]) {
    const bytes = madeUpDiff(lines);
    // The peer takes a string, so that decoding is part of what it costs.
    const found = readDiff(bytes).files.length;
    if (found !== parseDiff(bytes.toString("utf8")).length) throw new Error("The two readers disagree.");
    // Both are measured warm, as a server runs them.
    for (let i = 0; i < 20; i++) {
      readDiff(bytes);
      parseDiff(bytes.toString("utf8"));
    }
    const ms = await best(
      {
        floor: () => walkNewlines(bytes),
        ours: () => readDiff(bytes),
        peer: () => parseDiff(bytes.toString("utf8")),
      },
      lines > 50_000 ? 30 : 60,
    );
    const floor = ms["floor"] ?? 0;
    const ours = ms["ours"] ?? 0;
    const peer = ms["peer"] ?? 0;
    const size = `${lines} lines, ${(bytes.length / 1e6).toFixed(1)} MB`;
    const times = `best of all rounds: ours ${ours.toFixed(2)} ms, floor ${floor.toFixed(2)} ms, parse-diff ${peer.toFixed(2)} ms`;
    rows.push({
      name: `read ÷ newline walk, ${size}`,
      value: ours / floor,
      comparison: "at most",
      limit: 4,
      note: times,
    });
    rows.push({
      name: `parse-diff ÷ read, ${size}`,
      value: peer / ours,
      comparison: "at least",
      limit: faster,
      note: times,
    });
  }
  return rows;
};

/** The least time of each: what takes longer is interrupted more often, so that medians on a busy machine are unfair to it. */
async function best(
  candidates: Readonly<Record<string, () => unknown>>,
  rounds: number,
): Promise<Readonly<Record<string, number>>> {
  const least: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, ms] of Object.entries(await interleave(candidates, 1))) {
      least[name] = Math.min(least[name] ?? ms, ms);
    }
  }
  return least;
}

function walkNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** Files of about 60 lines in two hunks, code-like, some of it not ASCII. */
function madeUpDiff(lines: number): Buffer {
  const parts: string[] = [];
  for (let made = 0, file = 0; made < lines; made += 60, file++) {
    parts.push(`diff --git a/src/module-${file}.ts b/src/module-${file}.ts`, "index 1234567..89abcde 100644");
    parts.push(`--- a/src/module-${file}.ts`, `+++ b/src/module-${file}.ts`);
    for (const start of [10, 200]) {
      parts.push(`@@ -${start},20 +${start},22 @@ export function call${file}() {`);
      for (let i = 0; i < 27; i++) {
        const marker = i % 9 === 4 ? "-" : i % 6 === 3 ? "+" : " ";
        parts.push(`${marker}  const value${i} = compute(${file}, "naïve", [${i}, ${i + 1}]); // line ${i}`);
      }
    }
  }
  return Buffer.from(`${fitCounts(parts).join("\n")}\n`);
}

/** Writes the true counts into the hunk headers. */
function fitCounts(parts: readonly string[]): string[] {
  const fitted = [...parts];
  let head = -1;
  let old = 0;
  let fresh = 0;
  const flush = (): void => {
    if (head < 0) return;
    fitted[head] = (fitted[head] ?? "").replace(/-(\d+),\d+ \+(\d+),\d+/, `-$1,${old} +$2,${fresh}`);
    head = -1;
  };
  for (const [index, part] of parts.entries()) {
    if (part.startsWith("@@ ")) {
      flush();
      head = index;
      old = 0;
      fresh = 0;
    } else if (part.startsWith("diff ")) flush();
    else if (head >= 0) {
      if (!part.startsWith("+")) old++;
      if (!part.startsWith("-")) fresh++;
    }
  }
  flush();
  return fitted;
}
