// The peak memory of everything that this process starts, by looking again and again: a figure for people, no assertion.
import { readdirSync, readFileSync } from "node:fs";

export interface MemoryWatch {
  /** @returns the largest sum that was seen, MiB. */
  stop(): number;
}

/** Sums the proportional set size, so that pages which processes share count once. */
export function watchMemory(): MemoryWatch {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(
      peak,
      descendants().reduce((sum, pid) => sum + pssKib(pid), 0),
    );
  }, 150);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(peak / 1024);
    },
  };
}

function descendants(): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    parents.set(Number(name), parent);
  }
  return [...parents.keys()].filter((pid) => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) {
      if (at === process.pid) return true;
    }
    return false;
  });
}

function pssKib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
