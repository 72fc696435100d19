// Contract of findings: known by any key, open or resolved per ref, never two for one key.
import { expect, test } from "vitest";
import type { FindingUpdate } from "../../src/core/finding.ts";
import type { Store } from "../../src/ports/store.ts";
import { finding, reviewed, start } from "./store-samples.ts";

export function findingsContract(store: () => Store): void {
  const write = (findings: readonly FindingUpdate[], now = start, repository = "demo") =>
    reviewed(store(), { repository, now: start }, { findings, now });

  test("a new finding is known by each of its keys, in its repository", async () => {
    const update = finding("f1");
    await write([update]);
    const expected = {
      id: update.id,
      repository: "demo",
      fingerprint: "f1",
      keys: ["agent:f1", "f1"],
      file: "src/a.ts",
      category: "correctness",
      severity: "high",
      title: "Problem f1",
      anchorDigest: "anchor-f1",
      dismissed: null,
      refs: [{ ref: "refs/heads/main", status: "open", lastRevision: "r1" }],
      firstSeenAt: start,
      lastSeenAt: start,
    };
    const found = await store().findingsByKeys("demo", ["none", "agent:f1", "f1"]);
    expect(found.map((one) => ({ ...one, keys: [...one.keys].sort() }))).toEqual([expected]);
    expect(await store().findingsByKeys("other", ["f1"])).toEqual([]);
    expect(await store().findingsByKeys("demo", [])).toEqual([]);
  });

  test("seen again under another key, it is the same finding and learns that key", async () => {
    const first = finding("f1");
    await write([first]);
    const moved = finding("f1", {
      keys: ["new-key", "f1"],
      file: "src/b.ts",
      severity: "low",
      title: "t",
      revision: "r2",
    });
    await write([moved], start + 9);
    const [found, ...rest] = await store().findingsByKeys("demo", ["new-key"]);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ id: first.id, file: "src/b.ts", severity: "low", title: "t", lastSeenAt: start + 9 });
    expect(found?.firstSeenAt).toBe(start);
    expect([...(found?.keys ?? [])].sort()).toEqual(["agent:f1", "f1", "new-key"]);
    expect(await store().openFindings("demo", "refs/heads/main", ["src/a.ts"])).toEqual([]);
  });

  test("two reviews that finish at once make one finding of one key", async () => {
    await Promise.all([write([finding("same")]), write([finding("same")])].map((done) => done.catch(() => undefined)));
    expect(await store().findingsByKeys("demo", ["same"])).toHaveLength(1);
  });

  test("a key stays with the finding that had it first", async () => {
    const a = finding("a", { keys: ["a"] });
    const b = finding("b", { keys: ["b"] });
    await write([a, b]);
    await write([{ ...b, keys: ["b", "a"] }]);
    expect((await store().findingsByKeys("demo", ["a"])).map(({ id }) => id)).toEqual([a.id]);
    expect((await store().findingsByKeys("demo", ["b"])).map(({ id }) => id)).toEqual([b.id]);
  });

  test("open and resolved are told apart per ref; resolving does not count as seeing", async () => {
    const update = finding("f1");
    await write([update]);
    await write([{ ...update, ref: "refs/heads/topic", revision: "r5" }], start + 1);
    await write([{ ...update, status: "resolved", revision: "r9" }], start + 2);
    expect(await store().openFindings("demo", "refs/heads/main", ["src/a.ts"])).toEqual([]);
    const [open] = await store().openFindings("demo", "refs/heads/topic", ["src/a.ts", "src/a.ts", "x"]);
    expect(open).toMatchObject({ id: update.id, lastSeenAt: start + 1 });
    expect(open?.refs).toEqual([
      { ref: "refs/heads/main", status: "resolved", lastRevision: "r9" },
      { ref: "refs/heads/topic", status: "open", lastRevision: "r5" },
    ]);
    await write([update], start + 3);
    expect(await store().openFindings("demo", "refs/heads/main", ["src/a.ts"])).toHaveLength(1);
  });

  test("open findings are those of the files and the repository", async () => {
    await write([finding("1", { file: "a" }), finding("2", { file: "b" }), finding("3", { file: "c" })]);
    await write([finding("4", { file: "a" })], start, "other");
    const open = await store().openFindings("demo", "refs/heads/main", ["c", "a"]);
    expect(open.map(({ fingerprint }) => fingerprint).sort()).toEqual(["1", "3"]);
  });
}
