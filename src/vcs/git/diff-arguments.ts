// The arguments by which trees are compared, the same for the listing and the patch so that both see the same renames.
import { createHash } from "node:crypto";
import type { Change } from "../../core/change.ts";
import { requireFullId } from "./revision-syntax.ts";

/** @param format what to print. @param maxFileBytes larger blobs count as binary and are not read. */
export function diffArguments(
  change: Change,
  format: readonly string[],
  maxFileBytes: number,
  paths: readonly string[],
): readonly string[] {
  const head = requireFullId(change.head.canonical, change.repository);
  const base =
    change.base === "empty" ? emptyTree(head.length) : requireFullId(change.base.canonical, change.repository);
  return [
    "-c",
    `core.bigFileThreshold=${maxFileBytes}`,
    "diff-tree",
    "-r",
    "-M",
    "-z",
    ...format,
    "--no-commit-id",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    // Two explicit trees: a merge or a root commit alone would print nothing.
    base,
    head,
    ...(paths.length > 0 ? ["--", ...paths] : []),
  ];
}

/** The id of the empty tree, which git knows without having it; it depends on the hash. */
function emptyTree(idLength: number): string {
  return createHash(idLength === 64 ? "sha256" : "sha1")
    .update("tree 0\0")
    .digest("hex");
}
