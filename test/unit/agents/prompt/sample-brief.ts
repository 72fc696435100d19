// A brief made from a unified diff, as the orchestrator gathers it.
import { type CommentableFile, commentableLines } from "../../../../src/core/anchor.ts";
import type { Change, ChangedFile } from "../../../../src/core/change.ts";
import { readDiff } from "../../../../src/core/diff.ts";
import type { ReviewBrief } from "../../../../src/ports/brief.ts";

const change: Change = {
  repository: "demo",
  vcs: "git",
  head: {
    vcs: "git",
    canonical: "b".repeat(40),
    display: "bbbbbbbbbb",
    author: "Anna",
    time: 0,
    message: "Close sessions once",
    parents: ["a".repeat(40)],
    flags: [],
  },
  base: {
    vcs: "git",
    canonical: "a".repeat(40),
    display: "aaaaaaaaaa",
    author: "Ben",
    time: 0,
    message: "Before",
    parents: [],
    flags: [],
  },
  baseReason: "first_parent",
  ref: "refs/heads/main",
  isDefaultBranch: true,
  spec: "main",
};

export function sampleBrief(diffText: string, overrides: Partial<ReviewBrief> = {}): ReviewBrief {
  const diff = readDiff(Buffer.from(diffText));
  const commentable = new Map<string, CommentableFile>();
  const files = diff.files.map((file): ChangedFile => {
    const raw = file.newPath ?? file.oldPath ?? "";
    const path = Buffer.from(raw, "latin1").toString("utf8");
    if (file.newPath !== null) commentable.set(path, commentableLines(diff, file, path));
    return {
      kind: file.kind,
      path,
      rawPath: raw,
      isBinary: file.isBinary,
      isSymlink: false,
      isSubmodule: false,
      isLfs: false,
      isGenerated: false,
    };
  });
  return {
    change,
    files,
    diff: { diff, bytes: diffText.length, truncated: false, omitted: [] },
    commentable,
    isTruncated: false,
    instructions: [],
    dismissed: [],
    open: [],
    ...overrides,
  };
}

export function withMessage(brief: ReviewBrief, message: string, author = "Anna"): ReviewBrief {
  return { ...brief, change: { ...brief.change, head: { ...brief.change.head, message, author } } };
}

/** The diff of a file that is new, or of one whose lines were all replaced. */
export function fileDiff(path: string, added: readonly string[], deleted: readonly string[] = []): string {
  const old = deleted.length === 0 ? "/dev/null" : `a/${path}`;
  const mode =
    deleted.length === 0 ? "new file mode 100644\nindex 0000000..1111111\n" : "index 1111111..2222222 100644\n";
  const range = (n: number): string => (n === 0 ? "0,0" : `1,${n}`);
  return [
    `diff --git a/${path} b/${path}`,
    `${mode}--- ${old}`,
    `+++ b/${path}`,
    `@@ -${range(deleted.length)} +${range(added.length)} @@`,
    ...deleted.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
}
