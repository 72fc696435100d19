// Migrations go forward only, keep a copy of the file before each step, and refuse a newer file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { openWriter } from "../../../../src/store/sqlite/open.ts";
import { applicationId, type Migration, migrations } from "../../../../src/store/sqlite/schema.ts";
import { usingFiles } from "./files.ts";

const files = usingFiles();
const fixture = new URL("../../../fixtures/store/version-1.sql", import.meta.url);

const steps: readonly Migration[] = [
  { version: 1, sql: "CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES ('first');" },
  { version: 2, sql: "ALTER TABLE notes ADD COLUMN at INTEGER; UPDATE notes SET at = 7;" },
  { version: 3, sql: "CREATE INDEX notes_at ON notes (at);" },
];

test("a new file gets the newest schema at once, without copies", () => {
  const folder = files.folder();
  const { db, migrated } = openWriter({ file: join(folder, "store") }, steps);
  expect(migrated).toEqual({ from: 0, to: 3, copies: [] });
  expect(db.pragma("application_id", { simple: true })).toBe(applicationId);
  db.close();
  expect(readdirSync(folder)).toEqual(["store"]);
});

test("an older file is copied before each step, and keeps its rows", () => {
  const file = join(files.folder(), "store");
  openWriter({ file }, steps.slice(0, 1)).db.close();
  const { db, migrated } = openWriter({ file }, steps);
  expect(migrated).toEqual({ from: 1, to: 3, copies: [`${file}.before-2`, `${file}.before-3`] });
  expect(db.prepare("SELECT text, at FROM notes").all()).toEqual([{ text: "first", at: 7 }]);
  db.close();
  expect(rowsOf(`${file}.before-2`)).toEqual([1, [{ text: "first" }]]);
  expect(rowsOf(`${file}.before-3`)).toEqual([2, [{ text: "first", at: 7 }]]);
  expect(existsSync(`${file}.before-2.partial`)).toBe(false);
});

test("a step that fails changes nothing, and can be tried again", () => {
  const file = join(files.folder(), "store");
  openWriter({ file }, steps.slice(0, 1)).db.close();
  const broken = [...steps.slice(0, 1), { version: 2, sql: "ALTER TABLE notes ADD COLUMN at INTEGER; NONSENSE;" }];
  expect(() => openWriter({ file }, broken)).toThrow();
  expect(rowsOf(file)).toEqual([1, [{ text: "first" }]]);
  const { db, migrated } = openWriter({ file }, steps);
  expect(migrated.to).toBe(3);
  db.close();
});

test("a newer file is refused with a remedy and stays as it was", () => {
  const file = join(files.folder(), "store");
  openWriter({ file }, steps).db.close();
  const before = readFileSync(file);
  expect(() => openWriter({ file }, steps.slice(0, 2))).toThrow(
    expect.objectContaining({
      code: "config",
      reason: "store_newer",
      remedy: expect.stringContaining(`${file}.before-3`),
    }),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a file of version 1 as it was released opens, and what it remembers is read", async () => {
  const file = join(files.folder(), "store");
  const old = new BetterSqlite3(file);
  old.exec(readFileSync(fixture, "utf8"));
  old.close();
  const store = await files.open(file);
  const [reported, queued] = await store.reviews({ limit: 10 });
  expect(reported).toMatchObject({ id: "rv_fixture1", status: "reported", change: { ref: "refs/heads/main" } });
  expect(queued).toMatchObject({ id: "rv_fixture2", status: "queued", requester: { kind: "person" } });
  expect(await store.report("rv_fixture1")).toMatchObject({ outcome: "reported", problems: [{ anchored: true }] });
  expect(await store.findingsByKeys("demo", ["key-a"])).toMatchObject([{ id: "fd_fixture1", fingerprint: "key-a" }]);
  expect(await store.deliveriesOf("rv_fixture1")).toMatchObject([{ id: "dl_fixture1", state: "sent" }]);
  expect(await store.queue(0)).toMatchObject({ queued: 1 });
  expect((await store.chat.list("lobby", 5)).map(({ text }) => text)).toEqual(["/review demo"]);
});

test("migrations are numbered without gaps", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

function rowsOf(file: string): readonly [version: unknown, rows: readonly unknown[]] {
  const db = new BetterSqlite3(file, { readonly: true });
  try {
    return [db.pragma("user_version", { simple: true }), db.prepare("SELECT * FROM notes").all()];
  } finally {
    db.close();
  }
}
