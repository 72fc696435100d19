// What naming fifty problems costs, against the least it can: one trim a line and three hashes a problem.
import { hash } from "node:crypto";
import { identify } from "../../src/core/fingerprint.ts";
import { type Bench, interleave } from "./bench.ts";

const problems = 50;

export const bench: Bench = async () => {
  const lines = Array.from({ length: 1_000 }, (_, i) =>
    i % 4 === 3 ? "  }" : `    const value${i} = compute(${i}, "x"); // of usual length`,
  );
  const subjects = Array.from({ length: problems }, (_, i) => ({
    problem: { file: "src/a.ts", line: 1 + i * 19, category: "bug", message: `value ${i} may be null` },
    lines,
  }));
  const floor = (): number => {
    let length = 0;
    for (const line of lines) length += line.trim().length;
    for (let i = 0; i < problems * 3; i++) length += hash("sha256", lines[i] ?? "", "hex").length;
    return length;
  };
  // Both are measured warm, as a server runs them.
  for (let i = 0; i < 300; i++) {
    identify("game", subjects);
    floor();
  }
  const ms = await interleave({ floor, ours: () => identify("game", subjects) }, 200);
  const ours = ms["ours"] ?? 0;
  const least = ms["floor"] ?? 0;
  return [
    {
      name: "identify ÷ trims and hashes, 50 problems in 1,000 lines",
      value: ours / least,
      comparison: "at most",
      limit: 10,
      note: `ours ${ours.toFixed(3)} ms, floor ${least.toFixed(3)} ms`,
    },
  ];
};
