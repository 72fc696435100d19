// The delivery drill: the sender is killed at random and at every named point, and every message appears once, in its order.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrashPoint } from "../../src/app/send-message.ts";
import { crashPoints } from "../../src/app/send-message.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { type DrillPlatform, startDrillPlatform } from "../fakes/drill-platform.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

/** The drill in full: AICR_DRILL_DELIVERIES=1000 AICR_DRILL_KILLS=199. */
const deliveries = Number(process.env["AICR_DRILL_DELIVERIES"] ?? 100);
const kills = Number(process.env["AICR_DRILL_KILLS"] ?? 12);
const lanes = 5;
const settleMs = 700;
/** At most half of the settling time. */
const lagMs = 200;

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
let folder: string;
let child: string;

beforeAll(async () => {
  // Beside the installed modules, so that the native one is found.
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "aicr-deliver-"));
  child = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("delivery-drill-child.ts", import.meta.url))],
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

/** A store in which so many deliveries are owed, one after the other to each of the lanes. */
async function owe(name: string, count: number): Promise<string> {
  const directory = join(folder, name);
  const store = await createSqliteStore({ directory, logger: silentLogger });
  await store.owe(
    Array.from({ length: count }, (_, n) => ({
      id: `dl_${String(n).padStart(5, "0")}` as const,
      kind: "notice" as const,
      target: { conversation: { channel: "drill", workspace: "w", conversation: `c${n % lanes}` } },
      locale: "en",
      facts: { notice: { key: "drill", params: { n } } },
    })),
    Date.now(),
  );
  await store.close();
  return directory;
}

function sender(directory: string, platform: DrillPlatform, crashAt: CrashPoint | "" = "") {
  const args = [child, directory, platform.url, String(settleMs), crashAt];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(started, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  return { ready: once(started.stdout, "data"), ended, kill: () => void started.kill("SIGKILL") };
}

async function drained(platform: DrillPlatform, count: number, withinMs: number): Promise<number> {
  const from = performance.now();
  const seen = () => new Set(platform.posted.map(({ key }) => key)).size;
  while (seen() < count && performance.now() - from < withinMs) await delay(50);
  return performance.now() - from;
}

/** Nothing lost, nothing seen twice, nothing before what was owed before it, and every reply under its own root. */
function expectOnceInOrder({ posted }: DrillPlatform, count: number): void {
  const titles = posted.map(({ title }) => title);
  const twice = titles.filter((title, index) => titles.indexOf(title) !== index);
  expect(twice, "visible duplicates").toEqual([]);
  const owed = Array.from({ length: count }, (_, n) => [`${n}a`, `${n}b`]).flat();
  expect(
    owed.filter((title) => !titles.includes(title)),
    "lost",
  ).toEqual([]);
  for (let lane = 0; lane < lanes; lane++) {
    const here = posted.filter(({ conversation }) => conversation === `c${lane}`);
    const inOrder = owed.filter((title) => Number.parseInt(title, 10) % lanes === lane);
    expect(
      here.map(({ title }) => title),
      "order",
    ).toEqual(inOrder);
    for (const [index, reply] of here.entries()) {
      if (reply.title.endsWith("b")) expect(reply.thread).toBe(here[index - 1]?.id);
    }
  }
}

test("killed at random, over a platform that loses answers, refuses and breaks", async () => {
  const platform = await startDrillPlatform(lagMs, 7);
  try {
    const directory = await owe("random", deliveries);
    let killed = 0;
    for (; killed < kills && platform.posted.length < deliveries * 2; killed++) {
      const running = sender(directory, platform);
      await running.ready;
      await delay(100 + ((killed * 137) % 500));
      running.kill();
      await running.ended;
    }
    const last = sender(directory, platform);
    const backlogMs = await drained(platform, deliveries * 2, 60_000 + deliveries * 200);
    // Whatever would come too much has time to come.
    await delay(settleMs * 2);
    last.kill();
    await last.ended;
    const { lostAcks, refused, broken } = platform.counts;
    process.stdout.write(
      `${deliveries} deliveries, ${killed} kills, ${lostAcks} lost answers, ${refused} refused, ${broken} broken; ` +
        `backlog gone ${Math.round(backlogMs)} ms after the last kill\n`,
    );
    expectOnceInOrder(platform, deliveries);
    expect(killed).toBeGreaterThan(0);
    // Far less than the lease of a lane, which the dead sender held to the end.
    expect(backlogMs).toBeLessThan(60_000);
  } finally {
    await platform.close();
  }
}, 600_000);

test("killed at every named point of a message's life", async () => {
  const platform = await startDrillPlatform(20, 11);
  platform.heal();
  try {
    const count = 10;
    const directory = await owe("points", count);
    // A message is found only after one was posted and not noted, so the order matters.
    const order = [...crashPoints].sort((a, b) => rank(a) - rank(b));
    for (const point of order) {
      const running = sender(directory, platform, point);
      const end = await Promise.race([running.ended, delay(20_000, "alive")]);
      running.kill();
      await running.ended;
      expect(end, point).toBe("SIGKILL");
    }
    const last = sender(directory, platform);
    await drained(platform, count * 2, 20_000);
    await delay(settleMs * 2);
    last.kill();
    await last.ended;
    expectOnceInOrder(platform, count);
  } finally {
    await platform.close();
  }
}, 240_000);

function rank(point: CrashPoint): number {
  return ["claimed", "planned", "marked", "posted", "found", "refitted", "settled", "ended"].indexOf(point);
}
