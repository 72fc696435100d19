// Ends a whole process tree: the process group, and descendants that left it, known by a marker in their environment.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** The variable that every process started by us carries; its value is unique per start and inherited by descendants. */
export const RUN_TOKEN = "AICR_RUN_TOKEN";

/** Sends a signal to the group led by `pid`; false when no such group is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds the live processes that carry the token. It sees children that called setsid and those re-parented by a double
 * fork, which neither a group nor a walk along parents finds. Best effort: a process may clear its environment, and
 * systems without /proc give nothing.
 */
export async function findMarked(token: string): Promise<readonly number[]> {
  const marker = Buffer.from(`${RUN_TOKEN}=${token}`);
  const names = await readdir("/proc").catch(() => []);
  const found: number[] = [];
  await Promise.all(
    names.map(async (name) => {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return;
      const environment = await readFile(`/proc/${name}/environ`).catch(() => null);
      if (environment?.includes(marker)) found.push(Number(name));
    }),
  );
  return found;
}

/** Sends a signal to every process that carries the token; gives their number. */
export async function signalMarked(token: string, signal: NodeJS.Signals): Promise<number> {
  const pids = await findMarked(token);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Ended between the scan and the signal.
    }
  }
  return pids.length;
}

/** How often the sweep looks again for processes forked while it ran. */
const SWEEPS = 8;
/** A program that is just being executed shows no environment for a moment, ms; it is over by then. */
const EXEC_MS = 20;

/** SIGKILLs the group and everything marked, until two scans in a row find nobody. */
export async function killTree(pid: number | undefined, token: string): Promise<void> {
  if (pid !== undefined) signalGroup(pid, "SIGKILL");
  let quiet = 0;
  for (let sweep = 0; sweep < SWEEPS && quiet < 2; sweep++) {
    if (quiet === 1) await delay(EXEC_MS);
    quiet = (await signalMarked(token, "SIGKILL")) === 0 ? quiet + 1 : 0;
  }
}
