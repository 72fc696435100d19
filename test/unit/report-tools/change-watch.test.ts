// A server sees at each call whether its pass is still the current one.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readChangeFile, setCurrentRun, writeChangeFile } from "../../../src/report-tools/change-file.ts";
import { createChangeWatch } from "../../../src/report-tools/change-watch.ts";
import { changeFacts, currentRunId } from "../../fakes/change-facts.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-change-"));
  path = join(folder, "change.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("change.json", () => {
  it("is read back as it was written", () => {
    const facts = changeFacts({ base: "empty", head: { ...changeFacts().head, message: "重构 😀\n\n\u2028 body" } });
    writeChangeFile(path, facts);
    expect(readChangeFile(path)).toMatchObject({ kind: "ok", facts });
  });

  it("lets one pass stand and no other", () => {
    writeChangeFile(path, changeFacts());
    const watch = createChangeWatch(path);
    expect(watch.standing(currentRunId)).toMatchObject({ kind: "current" });
    expect(watch.standing("rv_1-1.2")).toMatchObject({ kind: "refused", reason: expect.stringContaining("over") });
    // Another length, so that the new version is told apart however coarse the file system's clock is.
    setCurrentRun(path, "rv_1-1.10");
    expect(watch.standing(currentRunId)).toMatchObject({ kind: "refused" });
    expect(watch.standing("rv_1-1.10")).toMatchObject({ kind: "current" });
    expect(watch.currentRun()).toBe("rv_1-1.10");
  });

  it("refuses when the file is gone or broken, and says which", async () => {
    const watch = createChangeWatch(path);
    expect(watch.standing(currentRunId)).toMatchObject({ reason: expect.stringContaining("gone") });
    await writeFile(path, "{}");
    expect(watch.standing(currentRunId)).toMatchObject({ reason: expect.stringContaining("cannot be read") });
    expect(watch.currentRun()).toBeNull();
    expect(() => setCurrentRun(path, "rv_1-1.2")).toThrow(/change\.json/);
  });
});
