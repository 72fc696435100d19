// The bounds of this process, which a container's must not exceed: raising one is refused to those without the power to.
import { readFile } from "node:fs/promises";

/** `--ulimit` values of podman and docker that hold on this machine; empty where they cannot be read. */
export async function containerUlimits(): Promise<readonly string[]> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const hard = (name: string): number | null => {
    const value = text
      .split("\n")
      .find((line) => line.startsWith(name))
      ?.slice(name.length)
      .trim()
      .split(/\s+/)[1];
    const count = Number(value);
    return value === undefined || !Number.isSafeInteger(count) ? null : count;
  };
  const files = Math.min(hard("Max open files") ?? OPEN_FILES, OPEN_FILES);
  const processes = Math.min(hard("Max processes") ?? USER_PROCESSES, USER_PROCESSES);
  return [
    "core=0:0",
    `nofile=${files}:${files}`,
    // The engine's own default may be over ours. How many there are is bounded by the container's group, not by this.
    `nproc=${processes}:${processes}`,
  ];
}

const OPEN_FILES = 4_096;
/** Of the whole user: low enough for every engine that was tried, and high enough for many agents at once. */
const USER_PROCESSES = 16_384;
