// A small change.json for tests of the report tools: one file of each kind that anchors treat differently.
import type { ChangeFacts, ChangeFactsFile } from "../../src/report-tools/change-file.ts";

const plain: ChangeFactsFile = {
  path: "",
  kind: "modify",
  isBinary: false,
  isGenerated: false,
  isSymlink: false,
  isSubmodule: false,
  isLfs: false,
  hunks: [],
  added: [],
};

export function changedFile(file: Partial<ChangeFactsFile> & { readonly path: string }): ChangeFactsFile {
  return { ...plain, ...file };
}

/** The pass that `changeFacts()` calls current. */
export const currentRunId = "rv_1-1.1";

export function changeFacts(overrides: Partial<ChangeFacts> = {}): ChangeFacts {
  const revision = { author: "Alice", message: "Change the service", time: 1_700_000_000_000 };
  return {
    schemaVersion: 1,
    runId: currentRunId,
    reviewId: "rv_1",
    repository: { alias: "demo", vcs: "git" },
    head: { revision: "a".repeat(40), display: "aaaaaaaaaa", ...revision },
    base: { revision: "b".repeat(40), display: "bbbbbbbbbb", ...revision },
    baseReason: "first_parent",
    spec: "",
    files: [
      changedFile({
        path: "src/service.ts",
        hunks: [
          { start: 10, end: 20 },
          { start: 40, end: 46 },
        ],
        added: [
          { start: 13, end: 15 },
          { start: 43, end: 43 },
        ],
      }),
      changedFile({ path: "src/gone.ts", kind: "delete" }),
      changedFile({ path: "src/new-name.ts", oldPath: "src/old-name.ts", kind: "rename" }),
      changedFile({ path: "logo.png", isBinary: true }),
      changedFile({ path: "src/huge.ts" }),
    ],
    locale: "en",
    omitted: ["src/huge.ts"],
    truncated: false,
    ...overrides,
  };
}
