// The shape of a benchmark: ratios against a peer or floor measured in the same run, never absolute times.

export interface BenchRow {
  readonly name: string;
  /** Ours over the peer's (or floor's) median, unless the note says otherwise. */
  readonly value: number;
  readonly comparison: "at most" | "at least";
  readonly limit: number;
  /** What was compared, with the medians. */
  readonly note: string;
}

/** Each `*.bench.ts` exports one as `bench`. */
export type Bench = () => Promise<readonly BenchRow[]>;

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Runs the candidates in turn (so that noise hits both alike) and gives each one's median in ms. */
export async function interleave(
  candidates: Readonly<Record<string, () => unknown>>,
  rounds: number,
): Promise<Record<string, number>> {
  const samples: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const started = performance.now();
      await run();
      const own = samples[name] ?? [];
      samples[name] = own;
      own.push(performance.now() - started);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}
