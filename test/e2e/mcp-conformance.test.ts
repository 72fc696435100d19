// The public conformance suite, run by its own command line against our HTTP server.
// Its other server scenarios ask for demo tools, resources, prompts, logging or elicitation that a report server does not have.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const require = createRequire(import.meta.url);
const conformance = join(dirname(require.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");

const commandLine = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));

let folder: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-conformance-"));
  server = spawn(process.execPath, [commandLine, "mcp", "output", "--transport", "http", "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [chunk] = (await once(server.stderr ?? server, "data")) as [Buffer];
  url = /http:\S+/.exec(chunk.toString())?.[0] ?? "";
});
afterAll(async () => {
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  // A graceful end: the signal is handled, the exit is a success.
  expect(await gone).toEqual([0, null]);
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ["server-initialize", 1],
  ["ping", 1],
  ["tools-list", 1],
  ["tools-call-error", 1],
  ["server-sse-multiple-streams", 2],
  ["dns-rebinding-protection", 2],
])("passes %s", async (scenario, checks) => {
  const args = [conformance, "server", "--url", url, "--scenario", scenario, "--output-dir", join(folder, scenario)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, "close")) as [number];
  const text = Buffer.concat(output).toString();
  expect(text).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`);
  expect(code).toBe(0);
});
