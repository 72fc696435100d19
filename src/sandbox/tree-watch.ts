// Sees the processes of a running agent through /proc: who they are, how many, and what memory they hold.
import { readdir, readFile } from "node:fs/promises";
import type { StartedProcess } from "../process/spawn.ts";
import { RUN_TOKEN } from "../process/tree.ts";

export interface TreeSample {
  readonly pids: readonly number[];
  /** Memory that is theirs alone, bytes: what they share with files and each other is not counted. */
  readonly memoryBytes: number;
}

export interface TreeWatch {
  /**
   * Looks once. Systems without /proc give an empty sample.
   *
   * @param filter.deeperThan leaves out the started process (0) and its children (1).
   */
  sample(filter?: { readonly deeperThan: number }): Promise<TreeSample>;
  /** SIGKILLs every member until none is seen: those that hid from the marker too, if they were ever seen. */
  kill(): Promise<void>;
}

/** How often `kill` looks again for what was forked meanwhile. */
const SWEEPS = 20;

/** Of every Linux that this runs on but for a few ARM kernels, where the limit is then stricter by that factor. */
const PAGE_BYTES = 4_096;

interface Seen {
  readonly startedAt: string;
  readonly isMember: boolean;
}

/**
 * A process belongs to the tree if it is the started one, carries its token, or has a parent that belongs. Once seen it stays a
 * member, whatever it does to its environment and its parents later.
 */
export function createTreeWatch(started: StartedProcess): TreeWatch {
  const marker = Buffer.from(`${RUN_TOKEN}=${started.token}`);
  let seen = new Map<number, Seen>();
  let bornAt: string | null = null;

  async function sample(filter?: { readonly deeperThan: number }): Promise<TreeSample> {
    const names = await readdir("/proc").catch(() => []);
    const facts = (await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readStat))).flatMap((one) =>
      one === null || one.pid === process.pid ? [] : [one],
    );
    const root = facts.find(({ pid }) => pid === started.pid);
    if (root !== undefined) bornAt ??= root.startedAt;
    const now = new Map<number, Seen>();
    const marked = new Set(await findMarked(facts));
    const byPid = new Map(facts.map((one) => [one.pid, one]));
    for (const { pid, startedAt } of facts) now.set(pid, { startedAt, isMember: belongs(pid, marked, byPid) });
    seen = now;
    const members = facts.filter(
      ({ pid }) => now.get(pid)?.isMember === true && (filter === undefined || depth(pid, byPid) > filter.deeperThan),
    );
    return {
      pids: members.map(({ pid }) => pid),
      memoryBytes: members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    };
  }

  /** Those not looked at yet, and those that had no environment when they were: they were just being executed. */
  async function findMarked(facts: readonly Stat[]): Promise<number[]> {
    const fresh = facts.filter(({ pid, startedAt }) => {
      if (bornAt !== null && Number(startedAt) < Number(bornAt)) return false;
      const known = seen.get(pid);
      return known === undefined || known.startedAt !== startedAt || !known.isMember;
    });
    const found = await Promise.all(
      fresh.map(async ({ pid }) => {
        const environment = await readFile(`/proc/${pid}/environ`).catch(() => null);
        return environment?.includes(marker) === true ? [pid] : [];
      }),
    );
    return found.flat();
  }

  function belongs(pid: number, marked: ReadonlySet<number>, byPid: ReadonlyMap<number, Stat>): boolean {
    // Parents are a tree; the bound guards against a table that changed while it was read.
    for (let at = pid, depth = 0; at > 1 && depth < 64; depth++) {
      const stat = byPid.get(at);
      if (stat === undefined) return false;
      if ((at === started.pid && stat.startedAt === bornAt) || marked.has(at)) return true;
      const known = seen.get(at);
      if (known?.isMember === true && known.startedAt === stat.startedAt) return true;
      at = stat.parent;
    }
    return false;
  }

  /** Generations below the started process; those that are re-parented count as far away. */
  function depth(pid: number, byPid: ReadonlyMap<number, Stat>): number {
    let generations = 0;
    for (let at = pid; at !== started.pid; generations++) {
      const parent = byPid.get(at)?.parent;
      if (parent === undefined || parent <= 1 || generations >= 64) return Number.POSITIVE_INFINITY;
      at = parent;
    }
    return generations;
  }

  async function kill(): Promise<void> {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const { pids } = await sample();
      if (pids.length === 0) return;
      for (const pid of pids) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // Ended between the look and the signal.
        }
      }
    }
  }

  return { sample, kill };
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly startedAt: string;
  readonly memoryBytes: number;
}

async function readStat(name: string): Promise<Stat | null> {
  try {
    const [stat, memory] = await Promise.all([
      readFile(`/proc/${name}/stat`, "latin1"),
      readFile(`/proc/${name}/statm`, "latin1"),
    ]);
    // The command's name stands in brackets and may hold anything, brackets too.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [, resident = 0, shared = 0] = memory.split(" ").map(Number);
    return {
      pid: Number(name),
      parent: Number(fields[1]),
      startedAt: fields[19] ?? "0",
      memoryBytes: Math.max(0, resident - shared) * PAGE_BYTES,
    };
  } catch {
    return null;
  }
}
