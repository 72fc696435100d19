// Drill: kill -9 a process that writes through the bundled writer; what it acknowledged is there, whole, every time.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

const child = fileURLToPath(new URL("store-kill-child.mjs", import.meta.url));
const entry = fileURLToPath(new URL("../../dist/store-writer.mjs", import.meta.url));
const kills = 20;
/** On a slow machine the drill ends here, with fewer kills. */
const budgetMs = 15_000;

test("what was acknowledged survives kill -9", { timeout: 40_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "aicr-kill-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "store");
  const said: string[] = [];
  const until = performance.now() + budgetMs;
  let killed = 0;
  while (killed < kills && performance.now() < until) {
    said.push(...(await runAndKill(file, `r${killed}`, (killed * 37) % 120)));
    killed += 1;
    expect(quickCheck(file)).toBe("ok");
  }
  expect(killed).toBeGreaterThan(4);
  expect(said.length).toBeGreaterThan(killed);

  const store = await createSqliteStore({ file, logger: silentLogger });
  for (const line of said) await expectKept(store, line);
  for (const review of await store.reviews({ limit: 100_000 })) {
    // Whole or not at all: a review that ended has everything that was written with its end.
    const whole = review.status === "clean" ? 3 : 0;
    expect([review.status, (await store.deliveriesOf(review.id)).length]).toEqual([review.status, whole]);
    expect(await findingsOf(store, review.spec)).toBe(whole);
  }
  await store.close();
});

async function expectKept(store: Store, line: string): Promise<void> {
  const [what, id] = line.split(" ");
  const review = await store.review(`rv_${id}`);
  expect(review, `${line} was acknowledged`).not.toBeNull();
  if (what === "finished") expect(review?.status, line).toBe("clean");
}

async function findingsOf(store: Store, id: string): Promise<number> {
  return (await store.findingsByKeys("demo", [`${id}-0`, `${id}-1`, `${id}-2`])).length;
}

/** Lets the child write for some ms after its first acknowledgement; gives back every whole line that it said. */
async function runAndKill(file: string, run: string, ms: number): Promise<readonly string[]> {
  const running = spawn(process.execPath, [child, file, entry, run], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const ended = new Promise<NodeJS.Signals | null>((resolve) => running.once("close", (_, signal) => resolve(signal)));
  running.stdout.setEncoding("utf8");
  running.stdout.on("data", (text: string) => {
    if (said === "") setTimeout(() => running.kill("SIGKILL"), ms);
    said += text;
  });
  expect(await ended, "the child ends by our kill alone").toBe("SIGKILL");
  return said
    .slice(0, said.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean);
}

function quickCheck(file: string): unknown {
  const db = new BetterSqlite3(file);
  try {
    return db.pragma("quick_check", { simple: true });
  } finally {
    db.close();
  }
}
