// The store refuses what it cannot use with a remedy, and writes nothing to what it refuses.
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openReader, openWriter } from "../../../../src/store/sqlite/open.ts";
import { createSqliteStore, storeFileName } from "../../../../src/store/sqlite/store.ts";
import { request, start } from "../../../contract/store-samples.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";
import { usingFiles, writerEntry } from "./files.ts";

const files = usingFiles();

describe.each([
  ["in this thread", {}],
  ["on its own thread", { writerEntry }],
])("a writer %s", (_, options) => {
  test("makes the data directory and the file", async () => {
    const directory = join(files.folder(), "new", "data");
    const store = await createSqliteStore({ directory, logger: silentLogger, ...options });
    await store.close();
    expect(statSync(join(directory, storeFileName)).isFile()).toBe(true);
  });

  test("refuses a file in place of the data directory", async () => {
    const directory = join(files.folder(), "data");
    writeFileSync(directory, "not a folder");
    for (const inside of [directory, join(directory, "deeper")]) {
      const opening = createSqliteStore({ directory: inside, logger: silentLogger, ...options });
      await expect(opening).rejects.toMatchObject({ code: "config", reason: "store_folder_is_file" });
    }
    expect(readFileSync(directory, "utf8")).toBe("not a folder");
  });

  test("refuses a folder in place of the file", async () => {
    const file = join(files.folder(), "store");
    mkdirSync(file);
    await expect(files.open(file, options)).rejects.toMatchObject({ code: "config", reason: "store_is_folder" });
  });

  test("refuses what is no database, and leaves it as it was", async () => {
    const file = join(files.folder(), "store");
    writeFileSync(file, "This is a letter to a friend, not a database.".repeat(100));
    const before = readFileSync(file);
    await expect(files.open(file, options)).rejects.toMatchObject({ code: "corrupt", reason: "store_corrupt" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("refuses another program's database, and leaves it as it was", async () => {
    const file = join(files.folder(), "store");
    const other = new BetterSqlite3(file);
    other.exec("CREATE TABLE songs (title TEXT)");
    other.close();
    const before = readFileSync(file);
    await expect(files.open(file, options)).rejects.toMatchObject({ code: "config", reason: "store_foreign" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("finds a damaged page at start and writes nothing", async () => {
    const file = join(files.folder(), "store");
    const store = await files.open(file);
    for (let n = 0; n < 50; n++) await store.acceptReview(request({ spec: "x".repeat(500), jobKey: String(n) }));
    await store.close();
    damage(file);
    const before = readFileSync(file);
    const opening = files.open(file, options);
    await expect(opening).rejects.toMatchObject({ code: "corrupt", reason: "store_corrupt", retryable: false });
    await expect(opening).rejects.toHaveProperty("remedy", expect.stringContaining("restore"));
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test("the settings that durability rests on are set", () => {
  const file = join(files.folder(), "store");
  const { db } = openWriter({ file });
  const reader = openReader(file);
  const setting = (name: string, of = db) => of.pragma(name, { simple: true });
  expect(setting("journal_mode")).toBe("wal");
  expect(setting("synchronous")).toBe(2);
  expect(setting("busy_timeout")).toBe(5_000);
  expect(setting("busy_timeout", reader)).toBe(5_000);
  for (const of of [db, reader]) {
    expect(setting("foreign_keys", of)).toBe(1);
    expect(setting("trusted_schema", of)).toBe(0);
  }
  expect(() => reader.exec("DELETE FROM reviews")).toThrow(/readonly/);
  reader.close();
  db.close();
});

test("two processes' stores on one file see each other's work and never share a lease", async () => {
  const file = join(files.folder(), "store");
  const [server, cli] = [await files.open(file, { writerEntry }), await files.open(file)];
  const asked = request();
  await server.acceptReview(asked);
  const lease = { worker: "w", leaseMs: 1_000, maxAttempts: 3, now: start };
  const claims = await Promise.all([
    server.claimJob({ ...lease, token: "server" }),
    cli.claimJob({ ...lease, token: "cli" }),
  ]);
  expect(claims.filter((job) => job !== null)).toHaveLength(1);
  expect((await cli.review(asked.review))?.attempt).toBe(1);
});

test("several processes may open a new file at once", async () => {
  const file = join(files.folder(), "store");
  const stores = await Promise.all(Array.from({ length: 4 }, () => files.open(file, { writerEntry })));
  const answers = await Promise.all(stores.map((store, n) => store.acceptReview(request({ jobKey: String(n) }))));
  expect(answers.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  expect((await stores[0]?.queue(start))?.queued).toBe(4);
});

/** Overwrites the middle of every page but the first, as a failing disk would. */
function damage(file: string): void {
  const handle = openSync(file, "r+");
  const pages = Math.floor(statSync(file).size / 4_096);
  for (let page = 1; page < pages; page++) writeSync(handle, Buffer.alloc(64, 0xee), 0, 64, page * 4_096 + 2);
  closeSync(handle);
}
