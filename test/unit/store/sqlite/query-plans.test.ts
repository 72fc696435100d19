// No statement of the store walks a whole table: every one finds its rows by an index.
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { createOperations } from "../../../../src/store/sqlite/operations.ts";
import { createReads } from "../../../../src/store/sqlite/reads.ts";
import { migrations } from "../../../../src/store/sqlite/schema.ts";

/** Every statement that the store prepares, as its text. */
function statements(): { readonly db: BetterSqlite3.Database; readonly texts: readonly string[] } {
  const db = new BetterSqlite3(":memory:");
  for (const { sql } of migrations) db.exec(sql);
  const texts: string[] = [];
  const recording = new Proxy(db, {
    get(target, name) {
      if (name !== "prepare") return Reflect.get(target, name);
      return (text: string) => {
        texts.push(text);
        return target.prepare(text);
      };
    },
  });
  createOperations(recording);
  createReads(recording);
  return { db, texts };
}

/** Walks that read no more than they give: the newest reviews up to a limit, the deliveries still owed, and lists. */
const walks: readonly RegExp[] = [
  /^SCAN r USING INDEX reviews_by_time$/,
  /^SCAN deliveries USING INDEX deliveries_lane$/,
  /^SCAN (json_each|roots|CONSTANT ROW)( VIRTUAL TABLE INDEX 1:.*)?$/,
];

test("no statement scans a table", () => {
  const { db, texts } = statements();
  expect(texts.length).toBeGreaterThan(50);
  const scans = texts.flatMap((text) => {
    const parameters = text.includes("@") ? [named(text)] : Array.from(text.matchAll(/\?/g), () => null);
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...parameters);
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => detail.startsWith("SCAN") && !walks.some((walk) => walk.test(detail)))
      .map((detail) => `${detail}: ${text}`);
  });
  expect(scans).toEqual([]);
});

test("the check itself can fail", () => {
  const { db } = statements();
  const [step] = db
    .prepare<unknown[], { detail: string }>("EXPLAIN QUERY PLAN SELECT * FROM reviews WHERE spec = 'x'")
    .all();
  expect(step?.detail).toBe("SCAN reviews");
  expect(walks.some((walk) => walk.test(step?.detail ?? ""))).toBe(false);
});

function named(text: string): Record<string, null> {
  return Object.fromEntries(Array.from(text.matchAll(/@(\w+)/g), ([, name]) => [name ?? "", null]));
}
