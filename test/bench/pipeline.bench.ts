// The pipeline without agent and composing: a 2,000-line diff read, 50 problems assessed, findings and outbox written durably.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { assessReport } from "../../src/app/assess-report.ts";
import type { PreparedChange } from "../../src/app/prepare-run.ts";
import { createPublishReport } from "../../src/app/publish-report.ts";
import { commentableLines } from "../../src/core/anchor.ts";
import type { Change } from "../../src/core/change.ts";
import { readDiff } from "../../src/core/diff.ts";
import type { Problem } from "../../src/core/problem.ts";
import { noFilters } from "../../src/core/subscription.ts";
import type { Store } from "../../src/ports/store.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { createRedactor } from "../../src/telemetry/redact.ts";
import { request, change as sampleChange, timings } from "../contract/store-samples.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import type { Bench, BenchRow } from "./bench.ts";

const writerEntry = new URL("../../dist/store-writer.mjs", import.meta.url);
const fileCount = 10;
const linesPerFile = 196;
const problemCount = 50;
const warmUp = 150;
const rounds = 150;

export const bench: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), "aicr-bench-"));
  try {
    const rows: BenchRow[] = [];
    for (const writer of ["in this thread", "in the writer thread"] as const) {
      const threaded = writer === "in the writer thread";
      const file = join(folder, threaded ? "threaded" : "here");
      const store = await createSqliteStore({ file, logger: silentLogger, ...(threaded ? { writerEntry } : {}) });
      const floor = createFloor(join(folder, `${threaded ? "threaded" : "here"}-floor`));
      const ours = createPipeline(store);
      const cpu = { ours: [] as number[], floor: [] as number[] };
      for (let round = 0; round < warmUp + rounds; round++) {
        const spent = { ours: await cpuOf(ours), floor: await cpuOf(floor.run) };
        if (round < warmUp) continue;
        cpu.ours.push(spent.ours);
        cpu.floor.push(spent.floor);
      }
      await store.close();
      floor.close();
      const [mine, least] = [undisturbed(cpu.ours), undisturbed(cpu.floor)];
      rows.push({
        name: `diff, problems, findings and outbox ÷ floor, writing ${writer}`,
        value: mine / least,
        comparison: "at most",
        limit: threaded ? 7 : 5,
        note: `${mine.toFixed(2)} ms of CPU in all threads (target: 3), floor ${least.toFixed(2)} ms: newline walk, hashes, raw inserts`,
      });
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The tenth percentile: on a busy machine the same work costs more CPU, because others use its caches. */
function undisturbed(samples: readonly number[]): number {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 10)] ?? 0;
}

/** CPU of this process, every thread and the kernel's part, ms. */
async function cpuOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const paths = Array.from({ length: fileCount }, (_, index) => `src/services/part-${index}.ts`);
const sources = new Map(
  paths.map((path, file) => [path, Array.from({ length: linesPerFile }, (_, n) => line(file, n))]),
);
const diffBytes = Buffer.from(paths.map(diffOf).join(""));

function line(file: number, n: number): string {
  return n % 4 === 3 ? "  }" : `    const value${n} = compute(${file}, ${n}, "x"); // of usual length`;
}

function diffOf(path: string): string {
  const lines = sources.get(path) ?? [];
  const header = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n`;
  return `${header}@@ -0,0 +1,${lines.length} @@\n${lines.map((text) => `+${text}\n`).join("")}`;
}

const problems: readonly Problem[] = Array.from({ length: problemCount }, (_, n) => ({
  file: paths[n % fileCount] ?? "",
  line: 1 + Math.floor(n / fileCount) * 37,
  severity: (["critical", "high", "medium", "low"] as const)[n % 4] ?? "low",
  category: "correctness",
  message: `Value ${n} may be null when the connection was closed before the answer arrived, and is used without a check.`,
  suggestion: "Check it, and return early:\n\n```ts\nif (value === null) return;\n```",
}));

/** One review from the request to its report and outbox; every round is of another repository, so that all is new. */
function createPipeline(store: Store): () => Promise<void> {
  const clock = createSystemClock();
  const ids = createIds(clock);
  const redactor = createRedactor(["a-password-of-the-configuration"]);
  const conversation = { channel: "web", workspace: "local", conversation: "main" };
  let round = 0;
  const subscriptions = {
    of: async (repository: string) => [
      {
        id: "sb_1" as const,
        conversation,
        repository,
        filters: noFilters,
        mode: "report" as const,
        severity: "info" as const,
        locale: "en",
        origin: "configuration" as const,
      },
    ],
    noProblems: () => "suppress" as const,
  };
  const publish = createPublishReport({ store, subscriptions, clock, ids });
  return async () => {
    const repository = `demo${round++}`;
    const change: Change = sampleChange({ repository });
    await store.acceptReview(request({ repository, jobKey: repository, now: clock.now() }));
    const job = await store.claimJob({
      worker: "bench",
      token: ids.token(),
      leaseMs: 60_000,
      maxAttempts: 3,
      now: clock.now(),
    });
    if (job === null) throw new Error("The job that was accepted should be due.");
    await store.startReview({ job: job.id, token: job.token, review: job.review.id, change, now: clock.now() });
    const diff = readDiff(diffBytes);
    const files = diff.files.map((file) => ({ ...listed, path: file.newPath ?? "", rawPath: file.newPath ?? "" }));
    const commentable = new Map(
      files.map(({ path }, n) => [path, commentableLines(diff, present(diff.files[n]), path)]),
    );
    const read = { diff, bytes: diffBytes.length, truncated: false, omitted: [] };
    const prepared: PreparedChange = { change, files, diff: read, commentable, truncated: false };
    const report = await assessReport(
      { problems, summaries: [] },
      prepared,
      async (path) => sources.get(path) ?? null,
      redactor,
    );
    const outcome = { kind: "report", change, files, report, isSettled: async () => false } as const;
    if (!(await publish(job, outcome, timings))) throw new Error("The lease should be held.");
    const delivery = await store.claimDelivery({ token: ids.token(), leaseMs: 60_000, now: clock.now() });
    if (delivery === null) throw new Error("The report should be owed.");
    await store.settleDelivery({
      delivery: delivery.delivery.id,
      token: delivery.token,
      state: "sent",
      now: clock.now(),
    });
  };
}

const listed = {
  kind: "add",
  isBinary: false,
  isGenerated: false,
  isSymlink: false,
  isSubmodule: false,
  isLfs: false,
} as const;

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("Every listed file has its diff.");
  return value;
}

/**
 * The least that must be done: a walk over the diff's newlines, one digest a line of the files with problems' neighbours,
 * and in transactions as many as the pipeline's (five) the rows that it writes, without keys or indexes.
 */
function createFloor(file: string): { run(): void; close(): void } {
  const db = new BetterSqlite3(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)");
  const insert = db.prepare("INSERT INTO t (a, b, c) VALUES (?, ?, ?)");
  const small = db.transaction(() => insert.run("review", "running", "x".repeat(200)));
  const large = db.transaction((rows: readonly string[]) => {
    for (const row of rows) insert.run("src/services/part.ts", row, "x".repeat(300));
  });
  return {
    run() {
      for (let at = diffBytes.indexOf(10); at !== -1; at = diffBytes.indexOf(10, at + 1));
      // Each problem has an anchor and two further keys; each becomes a problem, a finding, three keys and a ref.
      const rows: string[] = [];
      for (let n = 0; n < problemCount * 3; n++) rows.push(createHash("sha256").update(line(n, n)).digest("hex"));
      small();
      small();
      small();
      large([...rows, ...rows]);
      small();
    },
    close: () => db.close(),
  };
}
