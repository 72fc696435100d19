// Builds a real run directory for the checks agent from small diffs, as the orchestrator would.
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunId } from "../../../../src/core/ids.ts";
import type { AgentPass } from "../../../../src/ports/agent.ts";
import { writeChangeFile } from "../../../../src/report-tools/change-file.ts";
import { layOut, type PlantedFile } from "./planted.ts";

export interface RunDirectory {
  readonly root: string;
  readonly pass: AgentPass;
}

export const testRunId: RunId = "rv_1a2b-1.1";

export function createRunDirectory(files: readonly PlantedFile[], locale = "en"): RunDirectory {
  const root = mkdtempSync(join(tmpdir(), "aicr-run-"));
  layOut(files, root);
  for (const name of ["source", "agent", "tmp/home"]) mkdirSync(join(root, name), { recursive: true });
  const revision = { revision: "b".repeat(40), display: "b".repeat(10), author: "anna", message: "Change", time: 0 };
  writeChangeFile(join(root, "change.json"), {
    schemaVersion: 1,
    runId: testRunId,
    reviewId: "rv_1a2b",
    repository: { alias: "demo", vcs: "git" },
    head: revision,
    base: { ...revision, revision: "a".repeat(40) },
    baseReason: "first_parent",
    spec: "HEAD",
    files: files.map((file) => ({
      path: file.path,
      kind: file.basePath === null ? "add" : "modify",
      isBinary: false,
      isGenerated: false,
      isSymlink: false,
      isSubmodule: false,
      isLfs: false,
      hunks: [{ start: 1, end: file.lines.length }],
      added: [...file.added],
    })),
    locale,
    omitted: [],
    truncated: false,
  });
  return {
    root,
    pass: {
      runId: testRunId,
      kind: "initial",
      paths: {
        root,
        change: join(root, "change.json"),
        source: join(root, "source"),
        base: join(root, "base"),
        agent: join(root, "agent"),
        tmp: join(root, "tmp"),
        state: join(root, "agent", ".aicr-output-state.json"),
      },
      locale,
      deadlineMs: 60_000,
    },
  };
}
