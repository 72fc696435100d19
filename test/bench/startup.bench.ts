// From spawning the server to its first answer on /readyz, against `node -e 0` and a bare HTTP server with an open SQLite file.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Bench, interleave } from "./bench.ts";

const product = fileURLToPath(new URL("../../dist/main.mjs", import.meta.url));
const bareSource = fileURLToPath(new URL("peers/bare-server.mjs", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const rounds = 15;

export const bench: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), "aicr-bench-"));
  // Beside the product, so that both find their native module in the same place.
  const bare = join(root, "dist", "bare-server.bench.mjs");
  try {
    await build({
      entryPoints: [bareSource],
      outfile: bare,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["better-sqlite3"],
      logLevel: "warning",
    });
    await writeFile(join(folder, "aicr-bot.yaml"), "server:\n  port: 0\nlog:\n  level: silent\n");
    // The first start makes the store; what is measured is a start as it is every day after.
    await ready(product, [], folder);
    const ms = await interleave(
      {
        node: () => ended(spawnNode(["-e", "0"], folder)),
        bare: () => ready(bare, [folder], folder),
        ours: () => ready(product, [], folder),
      },
      rounds,
    );
    const { node = 0, bare: floor = 0, ours = 0 } = ms;
    const note = `start to /readyz ${ours.toFixed(0)} ms (target on a quiet machine: 300), bare server ${floor.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms`;
    return [
      { name: "start → /readyz ÷ node -e 0", value: ours / node, comparison: "at most", limit: 8.5, note },
      { name: "start → /readyz ÷ bare server", value: ours / floor, comparison: "at most", limit: 5.5, note },
    ];
  } finally {
    await rm(bare, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
};

/** Without the machine's own settings, some of which cost every process time, such as extra certificates. */
function spawnNode(args: readonly string[], cwd: string): ChildProcess {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  return spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  await once(child, "close");
}

/** Starts a server and asks until it is ready; ending it is not counted, as it runs on beside the next round. */
async function ready(entry: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawnNode([entry, ...args], cwd);
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("close", () => reject(new Error(`The server ended: ${said}`)));
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /http:\/\/\S+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
  });
  const answer = await fetch(`${url}/readyz`);
  if (answer.status !== 200) throw new Error(`The server is not ready: ${answer.status}`);
  child.removeAllListeners("close");
  child.kill("SIGKILL");
}
