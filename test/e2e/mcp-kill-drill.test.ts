// The drill: a tool server is killed 200 times during 2,000 calls, and nothing that it acknowledged is lost.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorkspace, type RunWorkspace } from "../../src/agents/workspace.ts";
import type { RunPaths } from "../../src/ports/agent.ts";
import { writeChangeFile } from "../../src/report-tools/change-file.ts";
import { readDocument, readState } from "../../src/report-tools/state-file.ts";
import { changeFacts } from "../fakes/change-facts.ts";
import { openSession, type StdioSession } from "./stdio-session.ts";

const passes = 4;
const killsPerPass = 50;
const callsPerLife = 10;
/** Servers that are started ahead, so that the drill does not wait for each start. */
const spares = 4;

let data: string;
let workspace: RunWorkspace;
let paths: RunPaths;
const started: Promise<StdioSession>[] = [];

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "aicr-drill-"));
  workspace = createWorkspace({ runsDir: join(data, "runs") });
  paths = await workspace.create("rv_1", 1);
  writeChangeFile(paths.change, changeFacts());
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(async (server) => (await server).kill()));
  await rm(data, { recursive: true, force: true });
});

function start(run: string): Promise<StdioSession> {
  const server = openSession({
    AICR_OUTPUT_STATE_PATH: paths.state,
    AICR_CHANGE_PATH: paths.change,
    AICR_RUN_ID: run,
  });
  started.push(server);
  return server;
}

const problem = (message: string) => ({
  file: "src/service.ts",
  line: 14,
  severity: "low",
  category: "drill",
  message,
});

/** Sends the texts as problems, kills the server after a while, and gives the texts that were acknowledged. */
async function liveAndDie(server: StdioSession, texts: readonly string[], afterMs: number): Promise<string[]> {
  const acknowledged: string[] = [];
  server.onReply = ({ id, result }) => {
    if (result?.isError === false) acknowledged.push(texts[id - 1] ?? "");
  };
  for (const [index, text] of texts.entries()) server.send(index + 1, "aicr.report_problem", problem(text));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await server.kill();
  return acknowledged;
}

function messagesOf(run: string): string[] {
  const read = readState(paths.state, run);
  if (read.kind === "missing") return [];
  if (read.kind !== "ok") throw new Error(JSON.stringify(read));
  expect(read.state.rejected).toEqual([]);
  return read.state.problems.map(({ message }) => message);
}

it("loses no acknowledged call in 200 kills, shows no torn state, and lets no orphan in", {
  timeout: 180_000,
}, async () => {
  const random = seeded(20_261_130);
  let windowMs = 20;
  let sent = 0;
  let acknowledged = 0;
  let cutShort = 0;
  let orphan: StdioSession | null = null;

  for (let pass = 1; pass <= passes; pass++) {
    const run = `rv_1-1.${pass}` as const;
    await workspace.preparePass(paths, run);
    const safe = new Set<string>();
    const pool = Array.from({ length: spares }, () => start(run));
    for (let life = 0; life < killsPerPass; life++) {
      const server = await pool.shift();
      if (server === undefined) throw new Error("no spare server");
      pool.push(start(run));
      const texts = Array.from({ length: callsPerLife }, () => `call ${sent++}`);
      const answered = await liveAndDie(server, texts, random() * windowMs);
      for (const text of answered) safe.add(text);
      acknowledged += answered.length;
      if (answered.length < callsPerLife) cutShort++;
      // Follows the speed of the machine, so that kills keep falling among the calls and not all before or after them.
      windowMs = answered.length === callsPerLife ? Math.max(2, windowMs * 0.9) : windowMs * 1.1;
      expect(readDocument(paths.state).kind).not.toBe("corrupt");
      const kept = new Set(messagesOf(run));
      expect([...safe].filter((text) => !kept.has(text))).toEqual([]);
    }
    if (orphan !== null) {
      const reply = await orphan.call(99, "aicr.report_problem", problem("from the grave"));
      expect(reply.result).toMatchObject({ isError: true });
      expect(messagesOf(run)).not.toContain("from the grave");
    }
    // One of the servers lives on into the next pass.
    orphan = (await pool.shift()) ?? null;
    const inTime = await orphan?.call(98, "aicr.report_problem", problem("in time"));
    expect(inTime?.result).toMatchObject({ isError: false });
    await Promise.all(pool.map(async (server) => (await server).kill()));
  }
  console.log(
    `${sent} calls, ${acknowledged} acknowledged, ${passes * killsPerPass} kills, ${cutShort} of them amid calls`,
  );
  expect(sent).toBe(passes * killsPerPass * callsPerLife);
  expect(acknowledged).toBeGreaterThan(0);
  expect(cutShort).toBeGreaterThan(0);
});

/** A small generator (mulberry32), so that each run of the drill plans the same kills. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
