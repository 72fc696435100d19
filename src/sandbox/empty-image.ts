// The image that docker needs to run programs of the machine: it is empty, so that nothing is fetched from anywhere.
import { tmpdir } from "node:os";
import type { Processes } from "../process/spawn.ts";

export const emptyImage = "aicr-bot-empty:1";

/** An archive without entries is two blocks of zeros, filled up to a record. */
const emptyArchive = new Uint8Array(10_240);

/**
 * Imports the image unless it is there.
 *
 * @returns null, or why docker cannot be used: one line.
 */
export async function importEmptyImage(
  processes: Processes,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const docker = async (args: readonly string[], stdin?: Uint8Array): Promise<string | null> => {
    const result = await processes.run({
      argv: ["docker", ...args],
      cwd: tmpdir(),
      env,
      deadlineMs: 20_000,
      maxStdoutBytes: 1024 * 1024,
      maxStderrBytes: 16 * 1024,
      ...(stdin === undefined ? {} : { stdin }),
    });
    if (result.reason === "exited" && result.code === 0) return null;
    if (result.reason === "spawn_failed") return "docker is not installed";
    const said = result.stderr.toString("utf8").trim().split("\n").at(-1)?.slice(0, 300) ?? "";
    return said === "" ? `docker ${args[0]} ended with ${result.reason}` : said;
  };
  if ((await docker(["image", "inspect", emptyImage])) === null) return null;
  return docker(["import", "-", emptyImage], emptyArchive);
}
