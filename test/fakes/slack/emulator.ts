// The independent emulator of Slack's Web API as a child process on loopback.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface SlackEmulator {
  /** Without a slash at its end. */
  readonly origin: string;
  /** Base address for clients. */
  readonly apiUrl: string;
  /** Calls a method with a token, as a test looks at the other side. */
  call(
    method: string,
    given: Readonly<Record<string, string>>,
    token: string,
  ): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/** The emulator's own person and conversation. */
export const emulated = { person: "U000000001", conversation: "C000000001" } as const;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = join(root, "node_modules/emulate/dist/index.js");
const preload = join(root, "test/fakes/slack/emulator-preload.mjs");

export async function startEmulator(seed: Readonly<Record<string, unknown>>): Promise<SlackEmulator> {
  const folder = await mkdtemp(join(tmpdir(), "aicr-slack-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, "seed.json"), JSON.stringify({ slack: seed }));
  const options = ["start", "-s", "slack", "-p", String(port), "--base-url", origin, "--seed", "seed.json"];
  const child = spawn(process.execPath, ["--import", preload, program, ...options], {
    cwd: folder,
    env: { PATH: process.env["PATH"], NODE_ENV: "test" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await started(child);
  return {
    origin,
    apiUrl: `${origin}/api/`,
    async call(method, given, token) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(given);
      const response = await fetch(`${origin}/api/${method}`, { method: "POST", headers, body });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null) {
        child.kill("SIGKILL");
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It lists its tokens once it listens. */
function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      if (said.includes("test_token_admin")) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", (code) => reject(new Error(`the emulator ended with ${code}: ${said}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
