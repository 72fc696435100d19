// Drills of the feeds: a process that is killed again and again loses no push, repeats none, and gives a poisonous job up.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

/** The long form has 100 kills: AICR_DRILL_KILLS=100. */
const kills = Number(process.env["AICR_DRILL_KILLS"] ?? 30);
const branches = 30;
const pushesEach = 20;
/** Where the drill stops killing on a slow machine, ms. */
const budgetMs = kills * 600;

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
let folder: string;
let child: string;

beforeAll(async () => {
  // Beside the installed modules, so that the native one is found.
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "aicr-drill-"));
  child = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("feed-drill-child.ts", import.meta.url))],
    outfile: child,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["better-sqlite3"],
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  send(line: string): void;
  /** Lines that were said so far. */
  readonly said: string[];
  kill(): void;
  readonly ended: Promise<void>;
  readonly ready: Promise<void>;
}

function run(directory: string, ledger: string): Running {
  const started: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [child, directory, ledger], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said: string[] = [];
  let rest = "";
  let isReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  started.stdout.setEncoding("utf8");
  started.stdout.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    said.push(...lines);
    if (lines.includes("ready")) isReady();
  });
  started.stdin.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    started.once("close", () => {
      isReady();
      resolve();
    });
  });
  return { said, ready, ended, send: (line) => started.stdin.write(`${line}\n`), kill: () => started.kill("SIGKILL") };
}

interface DrillPush {
  readonly branch: string;
  readonly before: string;
  readonly head: string;
}

test("600 pushes to 30 branches through kills: newest heads reviewed, none twice, poison given up after 5 claims", {
  timeout: 60_000 + 2 * budgetMs,
}, async () => {
  const directory = join(folder, "store");
  const ledger = join(folder, "ledger");
  writeFileSync(ledger, "");
  const id = (branch: number, n: number): string => (branch * 1_000 + n + 1).toString(16).padStart(40, "0");
  const waiting: DrillPush[] = [{ branch: "poison", before: "f".repeat(40), head: "e".repeat(40) }];
  for (let n = 0; n < pushesEach; n++) {
    for (let branch = 0; branch < branches; branch++) {
      waiting.push({ branch: `b${branch}`, before: id(branch, n), head: id(branch, n + 1) });
    }
  }
  const until = performance.now() + budgetMs;
  const acked = new Set<string>();
  const rounds = Math.ceil(waiting.length / kills);
  let killed = 0;
  while (killed < kills && performance.now() < until) {
    const running = run(directory, ledger);
    await running.ready;
    // What was not acknowledged is told again, as hosts and the poller do.
    const batch = waiting.filter(({ head }) => !acked.has(head)).slice(0, rounds);
    for (const { branch, before, head } of batch) running.send(`${branch} ${before} ${head}`);
    await Promise.race([running.ended, delay(20 + ((killed * 37) % 150))]);
    running.kill();
    await running.ended;
    for (const line of running.said) if (line.startsWith("acked ")) acked.add(line.slice(6));
    killed++;
  }
  expect(killed).toBeGreaterThan(4);

  // Undisturbed now, but for the poison: what is left is told and everything ends.
  for (let start = 0, isIdle = false; !isIdle; start++) {
    expect(start, "the poison must be given up").toBeLessThan(12);
    const running = run(directory, ledger);
    await running.ready;
    for (const { branch, before, head } of waiting.filter((one) => !acked.has(one.head))) {
      running.send(`${branch} ${before} ${head}`);
    }
    let isOver = false;
    void running.ended.then(() => {
      isOver = true;
    });
    while (!isOver && !isIdle) {
      await delay(50);
      for (const line of running.said) if (line.startsWith("acked ")) acked.add(line.slice(6));
      if (acked.size === waiting.length) running.send("idle?");
      isIdle = running.said.includes("idle");
    }
    running.kill();
    await running.ended;
  }

  const store = await createSqliteStore({ directory, logger: silentLogger });
  const reviews = await store.reviews({ limit: 10_000 });
  const poison = reviews.filter(({ spec }) => spec === "e".repeat(40));
  expect(poison).toMatchObject([{ status: "failed", attempt: 5, failure: { reason: "given_up" } }]);
  // A kill between a claim and its first line is a claim too.
  expect(readFileSync(ledger, "utf8").match(/^claim refs\/heads\/poison/gmu)?.length).toBeLessThanOrEqual(5);
  expect(await store.queue(Date.now())).toMatchObject({ queued: 0, running: 0, dead: 1 });
  for (let branch = 0; branch < branches; branch++) {
    const ref = `refs/heads/b${branch}`;
    const done = reviews.filter(({ change, status }) => change?.ref === ref && status === "skipped").reverse();
    const heads = done.map(({ change }) => change?.head.canonical);
    expect(heads.at(-1), ref).toBe(id(branch, pushesEach));
    expect(new Set(heads).size, ref).toBe(heads.length);
    // Each covers exactly what the one before did not.
    const bases = done.map(({ change }) => (change?.base === "empty" ? "empty" : change?.base.canonical));
    expect(bases, ref).toEqual([id(branch, 0), ...heads.slice(0, -1)]);
  }
  await store.close();
});
