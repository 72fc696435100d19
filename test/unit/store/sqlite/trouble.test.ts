// What the store does when its disk, its file or its thread fails it.
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { fromWire, toStoreFault, toWire } from "../../../../src/store/sqlite/faults.ts";
import { createThreadedWriter } from "../../../../src/store/sqlite/threaded-writer.ts";
import { claimed, request, reviewed, start } from "../../../contract/store-samples.ts";
import { usingFiles, writerEntry } from "./files.ts";

const files = usingFiles();

describe.each([
  ["in this thread", {}],
  ["on its own thread", { writerEntry }],
])("a disk that is full, the writer %s", (_, options) => {
  test("refuses writes with a remedy, keeps what it acknowledged, and goes on once there is room", async () => {
    const file = join(files.folder(), "store");
    const store = await files.open(file, { ...options, maxBytes: 110 * 4_096 });
    const old = await reviewed(store, { spec: "x".repeat(40_000), now: start - 1 }, { now: start - 1 });
    const acknowledged: string[] = [];
    let fault: unknown;
    for (let n = 0; n < 200 && fault === undefined; n++) {
      const asked = request({ jobKey: String(n), spec: "x".repeat(4_000) });
      const answer = await store.acceptReview(asked).catch((error: unknown) => {
        fault = error;
      });
      if (answer !== undefined) acknowledged.push(asked.review);
    }
    expect(fault).toMatchObject({ name: "AppError", code: "unavailable", reason: "disk_full", retryable: true });
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(await store.health()).toMatchObject({ ok: false, detail: expect.stringContaining("space") });
    const kept = await store.reviews({ limit: 1_000 });
    expect(kept.map(({ id }) => id).sort()).toEqual([old, ...acknowledged].sort());
    await expect(store.acceptReview(request({ spec: "x".repeat(9_000) }))).rejects.toMatchObject({
      reason: "disk_full",
    });

    await store.purge(start);
    expect((await store.acceptReview(request({ jobKey: "after" }))).outcome).toBe("accepted");
    expect(await store.health()).toEqual({ ok: true });
    expect((await claimed(store)).review.id).toBe(acknowledged[0]);
  });
});

describe("documents that were tampered with", () => {
  test.each([
    ["reviews", "UPDATE reviews SET paths = '{'"],
    ["reviews", 'UPDATE reviews SET timings = \'{"queuedMs":"soon"}\''],
    ["changes", "UPDATE changes SET document = json_remove(document, '$.head.canonical')"],
    ["changes", "UPDATE changes SET document = json_set(document, '$.extra', 1)"],
  ])("in %s are refused as corrupt (%#)", async (table, sql) => {
    const file = join(files.folder(), "store");
    const store = await files.open(file);
    const id = await reviewed(store);
    tamper(file, sql);
    await expect(store.review(id)).rejects.toMatchObject({
      code: "corrupt",
      detail: expect.stringContaining(table),
      remedy: expect.stringContaining("restore"),
    });
  });
});

describe("the writer thread", () => {
  const entry = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const ready =
    'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ kind: "ready", migrated: {} });';
  const options = { file: "/nowhere" };

  test("that ends before it is ready refuses the store", async () => {
    await expect(createThreadedWriter(entry("process.exit(3)"), options)).rejects.toMatchObject({
      code: "unavailable",
      reason: "store_closed",
    });
  });

  test("that cannot be loaded refuses the store", async () => {
    await expect(createThreadedWriter(entry("throw new Error('broken')"), options)).rejects.toBeInstanceOf(AppError);
  });

  test("that dies later fails what is under way and what comes after", async () => {
    const writer = await createThreadedWriter(
      entry(`${ready} parentPort.on("message", () => { throw new Error("gone"); });`),
      options,
    );
    const calls = [writer.write("heartbeat", beat), writer.write("chatRemove", "x")];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "unavailable", retryable: false });
    await expect(writer.write("chatRemove", "x")).rejects.toMatchObject({ reason: "store_closed" });
    expect(writer.lost()).toContain("gone");
    await writer.close();
  });
});

test("what cannot cross to the writer thread is refused, and the store goes on", async () => {
  const store = await files.open(join(files.folder(), "store"), { writerEntry });
  const entry = { action: "review", object: "demo", outcome: "accepted", now: start };
  const odd = Object.assign({ ...entry, actor: "U1" }, { extra: () => "a function" });
  await expect(store.audit(odd)).rejects.toMatchObject({ name: "AppError", code: "internal" });
  await expect(store.audit({ ...entry, actor: "U1" })).resolves.toBeUndefined();
});

test("faults cross a thread unharmed", () => {
  const fault = new AppError("timeout", "m", {
    remedy: "r",
    reason: "x",
    params: { n: 1 },
    detail: "d",
    retryable: false,
  });
  const back = fromWire(structuredClone(toWire(fault)));
  expect(back).toBeInstanceOf(AppError);
  expect({ ...back, message: back.message }).toEqual({ ...fault, message: fault.message });
});

test.each([
  ["SQLITE_FULL", "unavailable", "disk_full"],
  ["SQLITE_BUSY_SNAPSHOT", "unavailable", "store_busy"],
  ["SQLITE_IOERR_FSYNC", "unavailable", "disk_error"],
  ["SQLITE_CORRUPT_INDEX", "corrupt", "store_corrupt"],
  ["SQLITE_NOTADB", "corrupt", "store_corrupt"],
  ["SQLITE_READONLY_DIRECTORY", "config", "store_not_writable"],
  ["SQLITE_CANTOPEN", "config", "store_not_writable"],
  ["SQLITE_CONSTRAINT_UNIQUE", "internal", "store_failed"],
])("%s is %s", (sqlite, code, reason) => {
  const fault = toStoreFault(new BetterSqlite3.SqliteError("text", sqlite));
  expect(fault).toMatchObject({ code, reason, detail: expect.stringContaining(sqlite) });
  expect(fault.remedy).not.toBe("");
});

const beat = { job: "jb_1", token: "t", leaseMs: 1, now: 1 } as const;

function tamper(file: string, sql: string): void {
  const db = new BetterSqlite3(file);
  db.exec(sql);
  db.close();
}
