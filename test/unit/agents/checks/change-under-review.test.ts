// Which files of a run directory are looked at, and how the others are accounted for.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { maxFileBytes, readChangeUnderReview } from "../../../../src/agents/checks/change-under-review.ts";
import type { ChangeFacts, ChangeFactsFile } from "../../../../src/report-tools/change-file.ts";

let root: string;
const sides = () => ({ source: join(root, "source"), base: join(root, "base") });
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "aicr-change-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
function entry(path: string, more: Partial<ChangeFactsFile> = {}): ChangeFactsFile {
  const flags = { isBinary: false, isGenerated: false, isSymlink: false, isSubmodule: false, isLfs: false };
  return { path, kind: "add", ...flags, hunks: [{ start: 1, end: 1 }], added: [{ start: 1, end: 1 }], ...more };
}
function facts(files: readonly ChangeFactsFile[], omitted: readonly string[] = []): ChangeFacts {
  const head = { revision: "b", display: "b", author: "a", message: "m", time: 0 };
  return {
    schemaVersion: 1,
    runId: "rv_1-1.1",
    reviewId: "rv_1",
    repository: { alias: "demo", vcs: "git" },
    head,
    base: "empty",
    baseReason: "root",
    spec: "HEAD",
    files: [...files],
    locale: "en",
    omitted: [...omitted],
    truncated: false,
  };
}

describe("readChangeUnderReview", () => {
  it("reads both sides, the pre-image under its old name", async () => {
    put("source/new.ts", "a\nb\n");
    put("base/old.ts", "a\n");
    const { files } = await readChangeUnderReview(
      facts([entry("new.ts", { kind: "rename", oldPath: "old.ts" })]),
      sides(),
    );
    expect(files).toMatchObject([{ path: "new.ts", basePath: "old.ts", baseText: "a\n", lines: ["a", "b", ""] }]);
  });

  it("passes over what nobody reviews and counts it by reason", async () => {
    put("source/a.bin", Buffer.from([1, 0, 2]));
    put("source/huge.ts", "x".repeat(maxFileBytes + 1));
    put("source/made.ts", "// @generated\n");
    put("source/modified.ts", "x\n");
    const { files, leftOut } = await readChangeUnderReview(
      facts(
        [
          entry("package-lock.json"),
          entry("vendor/lib.js"),
          entry("a.bin"),
          entry("logo.png", { isBinary: true }),
          entry("huge.ts"),
          entry("made.ts"),
          entry("gone.ts"),
          entry("modified.ts", { kind: "modify" }),
          entry("removed.ts", { kind: "delete", added: [] }),
          entry("sub", { isSubmodule: true }),
        ],
        ["omitted.ts"],
      ),
      sides(),
    );
    expect(files).toEqual([]);
    expect(Object.fromEntries(leftOut)).toEqual({
      lock: 1,
      vendored: 1,
      binary: 2,
      large: 2,
      generated: 1,
      missing: 2,
    });
  });

  it("does not follow a link that leads out of the run directory", async () => {
    put("secret.txt", "outside");
    mkdirSync(join(root, "source"), { recursive: true });
    symlinkSync(join(root, "secret.txt"), join(root, "source", "link.ts"));
    const { files, leftOut } = await readChangeUnderReview(facts([entry("link.ts")]), sides());
    expect(files).toEqual([]);
    expect(leftOut.get("missing")).toBe(1);
  });
});
