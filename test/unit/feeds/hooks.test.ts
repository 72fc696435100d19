// The scripts for Perforce and Subversion servers, run by a real sh: they tell the number, and never hold up a commit.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const scripts = fileURLToPath(new URL("../../../src/feeds/hooks/", import.meta.url));
const key = "k\"e\\y & $(id) '1";

let folder: string;
let keyFile: string;
let closeServer: (() => Promise<void>) | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "aicr-hooks-"));
  keyFile = path.join(folder, "the key");
  writeFileSync(keyFile, `${key}\nnot the key\n`);
});
afterEach(async () => {
  await closeServer?.();
  closeServer = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeServer = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Resolves when the script has ended and nobody holds any of its descriptors any more. */
function run(script: string, ...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  // As a hook runs: no environment, and a descriptor more than the usual ones.
  const child = spawn("/bin/sh", [path.join(scripts, script), ...args], {
    env: {},
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, output }));
  });
}

describe.each([
  ["p4-change-commit.sh", "/triggers/p4", "change=12345"],
  ["svn-post-commit.sh", "/triggers/svn", "revision=12345"],
])("%s", (script, route, body) => {
  it("sends the number, with the first line of the key file", async () => {
    let got: ((request: { url: unknown; key: unknown; method: unknown; body: string }) => void) | undefined;
    const told = new Promise<{ url: unknown; key: unknown; method: unknown; body: string }>((resolve) => {
      got = resolve;
    });
    const address = await serve((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      request.on("end", () => {
        response.writeHead(202).end();
        got?.({ url: request.url, key: request.headers["x-api-key"], method: request.method, body: text });
      });
    });
    expect(await run(script, `${address}/`, keyFile, "12345")).toEqual({ code: 0, output: "" });
    expect(await told).toEqual({ url: route, key, method: "POST", body });
  });

  it("does not wait for an answer", async () => {
    let isGivenUp = false;
    const address = await serve((request) => request.on("close", () => (isGivenUp = true)));
    expect(await run(script, address, keyFile, "12345")).toEqual({ code: 0, output: "" });
    // Had it waited, curl would have given up by now.
    expect(isGivenUp).toBe(false);
  });

  it("says nothing and exits 0 when the bot is down or the key is gone", async () => {
    const address = await serve(() => undefined);
    await closeServer?.();
    closeServer = undefined;
    expect(await run(script, address, keyFile, "12345")).toEqual({ code: 0, output: "" });
    expect(await run(script, address, path.join(folder, "none"), "12345")).toEqual({ code: 0, output: "" });
  });

  it.each(["", "5;id", "$(id)", "-x", "5 6", "5\n6", "@=5"])("sends nothing for %j", async (number) => {
    let requests = 0;
    const address = await serve((_, response) => {
      requests += 1;
      response.end();
    });
    const { code, output } = await run(script, address, keyFile, number);
    expect([code, output]).toEqual([0, expect.stringMatching(/^usage: /)]);
    expect(requests).toBe(0);
  });
});
