// What the purge keeps although no operation of the port can make it yet: a person's dismissal.
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { finding, reviewed, start } from "../../../contract/store-samples.ts";
import { usingFiles } from "./files.ts";

const files = usingFiles();

test("a dismissed finding stays, resolved and old as it may be, and is read with its reason", async () => {
  const file = join(files.folder(), "store");
  const store = await files.open(file);
  const [kept, gone] = [finding("kept", { status: "resolved" }), finding("gone", { status: "resolved" })];
  await reviewed(store, {}, { findings: [kept, gone], now: start });
  const db = new BetterSqlite3(file);
  db.prepare(
    "UPDATE findings SET dismissed_by = 'U1', dismissed_reason = 'by design', dismissed_at = 5 WHERE id = ?",
  ).run(kept.id);
  await store.purge(start + 1);
  expect(await store.findingsByKeys("demo", ["kept", "gone"])).toMatchObject([
    { id: kept.id, dismissed: { by: "U1", reason: "by design", at: 5 } },
  ]);
  expect(db.prepare("SELECT key FROM finding_keys ORDER BY key").pluck().all()).toEqual(["agent:kept", "kept"]);
  db.close();
});
