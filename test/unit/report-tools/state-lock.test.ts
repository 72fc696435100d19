// The lock passes from hand to hand, is taken from the dead and the stuck, and never spins.
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLock } from "../../../src/report-tools/state-lock.ts";

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-lock-"));
  lock = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("withLock", () => {
  it("holds the lock while it works, and releases it even when the work fails", async () => {
    expect(await withLock(lock, "a", () => existsSync(lock))).toEqual({ kind: "done", value: true });
    const failing = withLock(lock, "a", () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await readdir(folder)).toEqual([]);
  });

  it("waits for a living holder", async () => {
    await writeFile(lock, String(process.pid));
    const waiting = withLock(lock, "a", () => "mine");
    await rm(lock);
    expect(await waiting).toEqual({ kind: "done", value: "mine" });
  });

  it.each([
    ["a dead holder", String(2 ** 22 + 1), 0],
    ["a holder that is stuck", String(process.pid), 10],
    ["one that was killed before it wrote its pid", "", 10],
  ])("takes the lock from %s", async (_who, content, ageSeconds) => {
    await writeFile(lock, content);
    const then = Date.now() / 1_000 - ageSeconds;
    await utimes(lock, then, then);
    expect(await withLock(lock, "a", () => "mine")).toEqual({ kind: "done", value: "mine" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("fails with the system's reason where no lock can be made", async () => {
    expect(await withLock(join(folder, "none", "lock"), "a", () => 1)).toEqual({ kind: "failed", reason: "ENOENT" });
  });
});
