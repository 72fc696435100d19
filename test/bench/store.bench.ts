// The store against floors on the same disk in the same run: group commit, fingerprint look-ups, lanes, a finished review.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { AcceptReview, Store } from "../../src/ports/store.ts";
import { openWriter } from "../../src/store/sqlite/open.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { createActionInserts } from "../../src/store/sqlite/write-actions.ts";
import { createDeliveryWrites } from "../../src/store/sqlite/write-deliveries.ts";
import { request, start } from "../contract/store-samples.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { type Bench, type BenchRow, interleave } from "./bench.ts";

const writerEntry = new URL("../../dist/store-writer.mjs", import.meta.url);
const callers = 16;
const callsEach = 12;

export const bench: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), "aicr-bench-"));
  try {
    return [await groupCommit(folder), ...(await lookups(folder)), await lanes(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Durable acceptances a second with concurrent callers, against one row a transaction on the main thread. */
async function groupCommit(folder: string): Promise<BenchRow> {
  const store = await createSqliteStore({ file: join(folder, "accept"), writerEntry, logger: silentLogger });
  const floor = new BetterSqlite3(join(folder, "floor"));
  floor.pragma("journal_mode = WAL");
  floor.pragma("synchronous = FULL");
  floor.exec("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)");
  const insert = floor.prepare("INSERT INTO t (text) VALUES (?)");
  const times = await interleave(
    {
      ours: () => Promise.all(Array.from({ length: callers }, () => acceptSome(store))),
      floor: () => {
        for (let n = 0; n < callers * callsEach; n++) insert.run("x".repeat(200));
      },
    },
    15,
  );
  await store.close();
  floor.close();
  const rate = (ms: number | undefined) => Math.round((callers * callsEach * 1_000) / (ms ?? Number.NaN));
  const [ours, peer] = [rate(times["ours"]), rate(times["floor"])];
  return {
    name: "acceptReview, 16 callers, durable",
    value: ours / peer,
    comparison: "at least",
    limit: 1.5,
    note: `${ours}/s (inbox, review and job) against ${peer}/s for one-row transactions, both synchronous=FULL`,
  };
}

let accepted = 0;
async function acceptSome(store: Store): Promise<void> {
  for (let n = 0; n < callsEach; n++) {
    accepted += 1;
    const asked: AcceptReview = request({ jobKey: `key ${accepted}`, now: start + accepted });
    await store.acceptReview(asked);
  }
}

/** Look-ups by key in a large table, against the same look-ups in a bare table of the keys alone, and in a small one. */
async function lookups(folder: string): Promise<readonly BenchRow[]> {
  const sizes = { small: 10_000, large: 200_000 };
  const tables = Object.entries(sizes).map(([name, rows]) => {
    const { db } = openWriter({ file: join(folder, `keys-${name}`) });
    const insert = db.prepare("INSERT INTO finding_keys (repository, key, finding) VALUES ('demo', ?, ?)");
    db.transaction(() => {
      for (let n = 0; n < rows; n++) insert.run(fingerprint(n), n);
    })();
    return { name, rows, db };
  });
  const bare = new BetterSqlite3(join(folder, "bare"));
  bare.exec("CREATE TABLE keys (key TEXT PRIMARY KEY, finding INTEGER) WITHOUT ROWID");
  const insertBare = bare.prepare("INSERT INTO keys VALUES (?, ?)");
  bare.transaction(() => {
    for (let n = 0; n < sizes.large; n++) insertBare.run(fingerprint(n), n);
  })();

  const lookUp = bare.prepare("SELECT finding FROM keys WHERE key = ?").pluck();
  const candidates: Record<string, () => void> = { bare: () => sample(sizes.large, (key) => lookUp.get(key)) };
  for (const { name, rows, db } of tables) {
    const byKey = db.prepare("SELECT finding FROM finding_keys WHERE repository = ? AND key = ?").pluck();
    candidates[name] = () => sample(rows, (key) => byKey.get("demo", key));
  }
  const times = await interleave(candidates, 15);
  for (const { db } of tables) db.close();
  bare.close();
  const [large, small, floor] = [times["large"] ?? 0, times["small"] ?? 0, times["bare"] ?? 1];
  const perSecond = Math.round((samples * 1_000) / large);
  return [
    {
      name: "fingerprint look-up, 200,000 keys",
      value: large / floor,
      comparison: "at most",
      limit: 1.5,
      note: `${perSecond}/s; a bare table of the keys alone: ${Math.round((samples * 1_000) / floor)}/s`,
    },
    {
      name: "fingerprint look-up, 20 times the keys",
      value: large / small,
      comparison: "at most",
      limit: 3,
      note: `${(large / samples).toFixed(4)} ms against ${(small / samples).toFixed(4)} ms at ${sizes.small}`,
    },
  ];
}

const samples = 5_000;
function sample(rows: number, lookUp: (key: string) => unknown): void {
  for (let n = 0; n < samples; n++) lookUp(fingerprint((n * 7_919) % rows));
}

/** 32 hex digits, scattered as digests are. */
function fingerprint(n: number): string {
  const scattered = Math.imul(n, 0x9e3779b1) >>> 0;
  return `${scattered.toString(16).padStart(8, "0")}${n.toString(16).padStart(24, "0")}`;
}

/** Claiming and putting off costs the same with 100 times the lanes. */
async function lanes(folder: string): Promise<BenchRow> {
  const sizes = [100, 10_000] as const;
  const opened = sizes.map((size) => {
    const { db } = openWriter({ file: join(folder, `lanes-${size}`) });
    const insert = db.prepare(
      `INSERT INTO deliveries (id, kind, channel, workspace, conversation, locale, state, head, ready_at, created_at)
       VALUES (?, 'report', 'slack', 'T1', ?, 'en', 'pending', ?, 0, 0)`,
    );
    db.transaction(() => {
      for (let n = 0; n < size; n++) for (const head of [1, 0]) insert.run(`dl_${n}x${head}`, `C${n}`, head);
    })();
    const { claimDelivery, settleDelivery } = createDeliveryWrites(db, createActionInserts(db));
    return {
      db,
      run: db.transaction(() => {
        for (let n = 0; n < 500; n++) {
          const lease = claimDelivery({ token: "t", leaseMs: 1, now: start });
          if (lease === null) throw new Error("a lane should be due");
          settleDelivery({ delivery: lease.id, token: "t", state: "pending", dueAt: n, now: start });
        }
      }),
    };
  });
  const [few, many] = opened;
  const times = await interleave({ few: () => few?.run(), many: () => many?.run() }, 15);
  for (const { db } of opened) db.close();
  const [small, large] = [times["few"] ?? 1, times["many"] ?? 0];
  return {
    name: "claim and put off a delivery, 10,000 lanes against 100",
    value: large / small,
    comparison: "at most",
    limit: 2,
    note: `${(large * 2).toFixed(1)} µs against ${(small * 2).toFixed(1)} µs each`,
  };
}
