// Group commit: one transaction for all that wait, one failure touches nobody else, nothing is answered before the commit.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { createGroupCommit, type GroupCommit, type Outcome } from "../../../../src/store/sqlite/group-commit.ts";
import { openReader, openWriter } from "../../../../src/store/sqlite/open.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { usingFiles } from "./files.ts";

const files = usingFiles();
const schema = [{ version: 1, sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT) STRICT" }];

interface Opened {
  readonly file: string;
  readonly db: Database;
  readonly reader: Database;
  readonly group: GroupCommit;
  readonly clock: ReturnType<typeof createFakeClock>;
  add(n: number): Promise<Outcome>;
}

function open(maxBytes?: number): Opened {
  const file = join(files.folder(), "store");
  const { db } = openWriter({ file, ...(maxBytes === undefined ? {} : { maxBytes }) }, schema);
  const clock = createFakeClock();
  const group = createGroupCommit(db, (ms, run) => clock.after(ms, run));
  const insert = db.prepare("INSERT INTO t (n, text) VALUES (?, ?)");
  const add = (n: number, text = ""): Promise<Outcome> =>
    new Promise((resolve) => group.enqueue(() => insert.run(n, text).changes, resolve));
  return { file, db, reader: openReader(file), group, clock, add };
}

function close({ group, db, reader }: Opened): void {
  group.close();
  reader.close();
  db.close();
}

test("operations of one turn share one commit, and each is answered after it", async () => {
  const opened = open();
  const { reader, add } = opened;
  const count = reader.prepare<unknown[], number>("SELECT count(*) FROM t").pluck();
  const version = () => reader.pragma("data_version", { simple: true });
  const seen: unknown[] = [];
  const before = version();
  await Promise.all([1, 2, 3, 4].map((n) => add(n).then(() => seen.push(count.get()))));
  expect(seen).toEqual([4, 4, 4, 4]);
  expect(version()).not.toBe(before);
  const between = version();
  expect(version()).toBe(between);
  close(opened);
});

test("one that fails is undone alone", async () => {
  const opened = open();
  const { reader, add, group, db } = opened;
  const halfway = new Promise<Outcome>((resolve) =>
    group.enqueue(() => {
      db.prepare("INSERT INTO t (n) VALUES (10)").run();
      throw new Error("after half of the work");
    }, resolve),
  );
  const outcomes = await Promise.all([add(1), add(1), halfway, add(2)]);
  expect(outcomes.map(({ value, fault }) => fault?.code ?? value)).toEqual([1, "internal", "internal", 1]);
  expect(reader.prepare("SELECT n FROM t ORDER BY n").pluck().all()).toEqual([1, 2]);
  close(opened);
});

test("many operations are split into several transactions, in order", async () => {
  const opened = open();
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => opened.add(n)));
  expect(outcomes.every(({ value }) => value === 1)).toBe(true);
  expect(opened.reader.prepare("SELECT count(*) FROM t").pluck().get()).toBe(200);
  close(opened);
});

test("when the disk is full, those that fit still succeed", async () => {
  const opened = open(12 * 4_096);
  const { group, db, reader, add } = opened;
  const large = new Promise<Outcome>((resolve) =>
    group.enqueue(() => db.prepare("INSERT INTO t (n, text) VALUES (9, ?)").run("x".repeat(100_000)), resolve),
  );
  const [first, big, last] = await Promise.all([add(1), large, add(2)]);
  expect([first?.value, big?.fault?.reason, last?.value]).toEqual([1, "disk_full", 1]);
  expect(reader.prepare("SELECT n FROM t ORDER BY n").pluck().all()).toEqual([1, 2]);
  close(opened);
});

test("another writer that holds the lock too long is a fault that may be retried", async () => {
  const opened = open();
  const { db: other } = openWriter({ file: opened.file }, schema);
  opened.db.pragma("busy_timeout = 1");
  other.exec("BEGIN IMMEDIATE");
  const { fault } = await opened.add(1);
  expect(fault).toMatchObject({ code: "unavailable", reason: "store_busy", retryable: true });
  other.exec("ROLLBACK");
  expect((await opened.add(1)).value).toBe(1);
  other.close();
  close(opened);
});

test("the log is moved into the file once nothing was asked for a while", async () => {
  const opened = open();
  const size = () => statSync(opened.file).size;
  const before = size();
  await Promise.all(Array.from({ length: 600 }, (_, n) => opened.add(n)));
  expect(size()).toBe(before);
  expect(opened.clock.pending()).toBe(1);
  opened.clock.advance(200);
  expect(size()).toBeGreaterThan(before);
  expect(opened.clock.pending()).toBe(0);
  close(opened);
});

test("close finishes what waits, and refuses what comes later", async () => {
  const opened = open();
  const waiting = opened.add(1);
  opened.group.close();
  expect((await waiting).value).toBe(1);
  expect((await opened.add(2)).fault).toMatchObject({ code: "unavailable", reason: "store_closed" });
  close(opened);
});
