// The relay inside a sandbox: bytes pass both ways as they are, signals reach the program, its code is handed on.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../src/sandbox/relay.ts";

const bundle = fileURLToPath(new URL("../../../dist/sandbox-relay.mjs", import.meta.url));

let folder: string;
let far: Server;
let socketPath: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aicr-relay-"));
  socketPath = join(folder, "m");
  // Says the digest of all it was told, once the other side has ended.
  far = createServer({ allowHalfOpen: true }, (socket) => {
    const hash = createHash("sha256");
    socket.on("data", (chunk: Buffer) => hash.update(chunk));
    socket.on("end", () => socket.end(hash.digest("hex")));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => far.listen(socketPath, resolve));
});
afterEach(async () => {
  await new Promise<void>((resolve) => far.close(() => resolve()));
  rmSync(folder, { recursive: true, force: true });
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function ask(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(bytes));
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** Runs the bundle; stdout may be read while it runs. */
function run(args: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: Promise<[number | null, string]>;
} {
  const child = spawn(process.execPath, [bundle, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const ended = new Promise<[number | null, string]>((resolve) => child.on("close", (code) => resolve([code, output])));
  return { child, ended };
}

describe("the relay", () => {
  it("carries many connections at once, byte by byte, each side ending by itself", async () => {
    const server = await listen(socketPath, 0);
    const contents = [0, 1, 70_000, 3_000_000].map((size) => randomBytes(size));
    const answers = await Promise.all(contents.map((bytes) => ask(portOf(server), bytes)));
    expect(answers).toEqual(contents.map((bytes) => createHash("sha256").update(bytes).digest("hex")));
    server.close();
  });

  it("ends a connection whose model is gone", async () => {
    const server = await listen(join(folder, "nobody"), 0);
    expect(await ask(portOf(server), Buffer.from("x")).catch(() => "")).toBe("");
    server.close();
  });

  it("listens before its program begins, hands stdin on, and ends with its code", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const port = portOf(free);
    await new Promise<void>((resolve) => free.close(() => resolve()));
    const code = `require("net").connect(${port}, "127.0.0.1").on("connect", () => process.stdin.on("data", (d) => { console.log("heard " + d); process.exit(9); }))`;
    const { child, ended } = run(["--socket", socketPath, "--port", String(port), "--", process.execPath, "-e", code]);
    child.stdin?.end("words");
    expect(await ended).toEqual([9, "heard words\n"]);
  });

  it("hands signals on, and tells of one that ended its program", async () => {
    const { child, ended } = run(["--", process.execPath, "-e", "console.log('up'); setInterval(() => {}, 1000)"]);
    child.stdout?.once("data", () => child.kill("SIGTERM"));
    expect((await ended)[0]).toBe(128 + 15);
  });

  it("ends its program by itself when its time is over and nobody outside did", async () => {
    const { ended } = run(["--seconds", "1", "--", process.execPath, "-e", "setInterval(() => {}, 1000)"]);
    expect((await ended)[0]).toBe(128 + 9);
  });

  it("says what it wants, and what it cannot start", async () => {
    expect(await run([]).ended).toEqual([2, expect.stringContaining("usage")]);
    expect(await run(["--", "/no/such/program"]).ended).toEqual([127, expect.stringContaining("ENOENT")]);
  });
});
