// Control groups, where this process may make them: the kernel then bounds memory and processes of a whole tree, and ends it at once.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxLimits } from "../ports/sandbox.ts";

export interface Cgroup {
  /** The program's arguments with an entry before them that moves it into the group before it begins. */
  enter(argv: readonly [string, ...string[]]): readonly [string, ...string[]];
  /** What the kernel refused to the tree so far. */
  refused(): Promise<"memory_exceeded" | "processes_exceeded" | null>;
  /** SIGKILLs every process of the group until none is left. */
  kill(): Promise<void>;
  /** Removes the group, which must be empty. */
  remove(): Promise<void>;
}

export interface Cgroups {
  /** Makes a group. Throws the system's error when it cannot. */
  create(limits: SandboxLimits): Promise<Cgroup>;
}

/** One hierarchy that a group lies in: v2 has one for all, v1 one for each controller. */
interface Hierarchy {
  readonly folder: string;
  /** Files of limits by what they bound. */
  readonly memory?: readonly string[];
  readonly processes?: string;
}

const PREFIX = "aicr-";
/** Rounds of killing: what forks faster than this is stopped by the bound on processes. */
const SWEEPS = 50;

/** Finds where groups can be made, by making one; null where they cannot (an ordinary user, a container, another system). */
export async function openCgroups(): Promise<Cgroups | null> {
  const homes = await findHomes().catch(() => null);
  if (homes === null) return null;
  await removeStale(homes);
  const cgroups: Cgroups = { create: (limits) => createGroup(homes, limits) };
  try {
    const probe = await cgroups.create({ memoryBytes: 64 * 1024 * 1024, processes: 64 });
    await probe.remove();
    return cgroups;
  } catch {
    return null;
  }
}

/** Groups of a bot that was killed: empty by now, but for those of another bot that are only just made. */
const STALE_MS = 3_600_000;

async function removeStale(homes: readonly Hierarchy[]): Promise<void> {
  for (const { folder } of homes) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(PREFIX)) continue;
      const made = await stat(join(folder, name)).catch(() => null);
      if (made !== null && Date.now() - made.mtimeMs > STALE_MS) await rmdir(join(folder, name)).catch(() => undefined);
    }
  }
}

async function findHomes(): Promise<readonly Hierarchy[] | null> {
  const own = (await readFile("/proc/self/cgroup", "utf8")).trim().split("\n");
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" "));
  const v1 = (controller: string): string | null => {
    const mount = mounts.find(([, , type, options]) => type === "cgroup" && options?.split(",").includes(controller));
    const line = own.find((one) => one.split(":")[1]?.split(",").includes(controller));
    const path = line?.split(":").slice(2).join(":");
    return mount?.[1] === undefined || path === undefined ? null : join(mount[1], path);
  };
  const memory = v1("memory");
  const pids = v1("pids");
  if (memory !== null && pids !== null) {
    return [
      // The second file is there only where swap is counted.
      { folder: memory, memory: ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"] },
      { folder: pids, processes: "pids.max" },
    ];
  }
  const mount = mounts.find(([, , type]) => type === "cgroup2")?.[1];
  const path = own.find((line) => line.startsWith("0::"))?.slice(3);
  if (mount === undefined || path === undefined) return null;
  const folder = join(mount, path);
  const controllers = (await readFile(join(folder, "cgroup.subtree_control"), "utf8")).split(/\s+/);
  if (!controllers.includes("memory") || !controllers.includes("pids")) return null;
  return [{ folder, memory: ["memory.max", "memory.swap.max"], processes: "pids.max" }];
}

async function createGroup(homes: readonly Hierarchy[], limits: SandboxLimits): Promise<Cgroup> {
  const name = `${PREFIX}${randomUUID()}`;
  const folders: string[] = [];
  const remove = async (): Promise<void> => {
    for (const folder of folders.splice(0)) await rmdir(folder).catch(() => undefined);
  };
  try {
    for (const home of homes) {
      const folder = join(home.folder, name);
      await mkdir(folder);
      folders.push(folder);
      await bound(folder, home, limits);
    }
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  const groups = [...folders];
  return {
    enter: (argv) => ["/bin/sh", "-c", enterScript, "sh", String(groups.length), ...groups, ...argv],
    async refused() {
      for (const group of groups) {
        if (await counts(join(group, "memory.oom_control"), "oom_kill")) return "memory_exceeded";
        if (await counts(join(group, "memory.events"), "oom_kill")) return "memory_exceeded";
        if (await counts(join(group, "pids.events"), "max")) return "processes_exceeded";
      }
      return null;
    },
    async kill() {
      for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const members = new Set((await Promise.all(groups.map(pidsOf))).flat());
        if (members.size === 0) return;
        // v2 ends a whole group in one step; where the file is missing each member is ended by itself.
        for (const group of groups)
          await writeFile(join(group, "cgroup.kill"), "1", { flag: "r+" }).catch(() => undefined);
        for (const pid of members) signal(pid);
        await delay(5);
      }
    },
    remove,
  };
}

/** `0` written to a group's list of processes is the writer itself, which then becomes the program. */
const enterScript =
  'n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; n=$((n-1)); done; exec "$@"';

async function bound(folder: string, home: Hierarchy, limits: SandboxLimits): Promise<void> {
  const [main, swap] = home.memory ?? [];
  if (main !== undefined && limits.memoryBytes !== undefined) {
    await writeFile(join(folder, main), String(limits.memoryBytes), { flag: "r+" });
    const withSwap = swap === "memory.swap.max" ? "0" : String(limits.memoryBytes);
    // Kernels without swap accounting have no such file.
    if (swap !== undefined) await writeFile(join(folder, swap), withSwap, { flag: "r+" }).catch(() => undefined);
  }
  if (home.processes !== undefined && limits.processes !== undefined) {
    await writeFile(join(folder, home.processes), String(limits.processes), { flag: "r+" });
  }
}

async function pidsOf(group: string): Promise<number[]> {
  const text = await readFile(join(group, "cgroup.procs"), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (/^[1-9]\d*$/.test(line) ? [Number(line)] : []));
}

async function counts(file: string, name: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").some((line) => line.startsWith(`${name} `) && Number(line.slice(name.length + 1)) > 0);
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended between the look and the signal.
  }
}
