// The mark of a client that reached the tool server, as the real bundle writes it: by it a pass without tools is told from one with.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeChangeFile } from "../../src/report-tools/change-file.ts";
import { markPath, readConnection } from "../../src/report-tools/connection-mark.ts";
import { changeFacts, currentRunId } from "../fakes/change-facts.ts";

const server = fileURLToPath(new URL("../../dist/mcp-output.mjs", import.meta.url));
let folder: string;
let state: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aicr-mark-"));
  state = join(folder, "state.json");
  writeChangeFile(join(folder, "change.json"), changeFacts());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function session(env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "tester", version: "1.2" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [server],
      env: { AICR_OUTPUT_STATE_PATH: state, ...env },
    }),
  );
  return client;
}

it("appears when a client connects, and tells when it has asked for the tools; the state stays unwritten", async () => {
  const client = await session({ AICR_CHANGE_PATH: join(folder, "change.json"), AICR_RUN_ID: currentRunId });
  // The answer to a ping comes after what was sent before it was taken.
  await client.ping();
  expect(readConnection(state, currentRunId)).toEqual({ runId: currentRunId, client: "tester 1.2", hasListed: false });
  await client.listTools();
  expect(readConnection(state, currentRunId)).toMatchObject({ hasListed: true });
  expect(readConnection(state, "rv_1-1.2")).toBeNull();
  expect(existsSync(state)).toBe(false);
  await client.close();
});

it("is not written by an orphan of an earlier pass, nor by a server of no pass", async () => {
  for (const env of [{ AICR_CHANGE_PATH: join(folder, "change.json"), AICR_RUN_ID: "rv_1-1.0" }, {}]) {
    const client = await session(env);
    await client.listTools();
    expect(existsSync(markPath(state))).toBe(false);
    await client.close();
  }
});
