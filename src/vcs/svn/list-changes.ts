// Lists the files of a change with all that decides whether they can be reviewed.
import type { Change, ChangedFile, FileChangeKind } from "../../core/change.ts";
import type { ChangedFiles } from "../../ports/vcs.ts";
import { isLfsPointer, looksBinary } from "../git/blobs.ts";
import { tooLarge } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { mapSome } from "./concurrency.ts";
import { type Contents, withoutLinkPrefix } from "./contents.ts";
import { damaged } from "./faults.ts";
import type { Location } from "./location.ts";
import { readLog } from "./log.ts";
import { type NetChange, netChanges, type Trees } from "./net-changes.ts";
import { type FileFacts, PLAIN, readFacts, SYMLINK } from "./properties.ts";
import { parseSummary, rangeChanges } from "./range-changes.ts";
import { requireNumber } from "./revision-syntax.ts";
import type { Svn } from "./run-svn.ts";
import { target } from "./source.ts";
import { createTrees, readEntry } from "./trees.ts";

interface ListLimits {
  readonly maxFiles: number;
  readonly maxDiffedFileBytes: number;
  /** Most bytes of svn's listing. */
  readonly maxBytes: number;
}

/** The two ends of a change as numbers; 0 is the empty repository before the first revision. */
export function endsOf(change: Change): { readonly base: number; readonly head: number } {
  const head = requireNumber(change.head.canonical, change.repository);
  return { base: change.base === "empty" ? 0 : requireNumber(change.base.canonical, change.repository), head };
}

export async function listChanges(
  svn: Svn,
  location: Location,
  contents: Contents,
  change: Change,
  limits: ListLimits,
  budget: Budget,
): Promise<ChangedFiles> {
  const ends = endsOf(change);
  const trees = createTrees(svn, location.url, ends.base, ends.head, budget);
  const net = await readNetChanges(svn, location, ends, trees, limits.maxBytes, budget);
  const kept = [...net].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, limits.maxFiles);
  const facts = await readSides(svn, location.url, kept, ends, budget);
  const ahead = (of: (kind: NetChange["kind"]) => boolean, revision: number): Promise<void> =>
    contents.readAhead(
      kept.filter(({ kind }) => of(kind)).map(({ path }) => path),
      revision,
      limits.maxDiffedFileBytes,
      budget,
    );
  await ahead((kind) => kind !== "delete" && kind !== "mode", ends.head);
  await ahead((kind) => kind === "delete", ends.base);
  const files = await mapSome(kept, async (one): Promise<ChangedFile> => {
    const { old, fresh } = facts(one);
    const side = one.kind === "delete" ? old : fresh;
    const content = await inspect(one, side);
    return {
      kind: kindOf(one, old, fresh),
      path: one.path,
      rawPath: raw(one.path),
      ...(one.oldPath !== undefined && { oldPath: one.oldPath, oldRawPath: raw(one.oldPath) }),
      ...(one.kind !== "add" && { oldMode: old.mode }),
      ...(one.kind !== "delete" && { newMode: fresh.mode }),
      isBinary: side.isBinary || content.isBinary,
      isSymlink: side.mode === SYMLINK,
      isSubmodule: false,
      isLfs: content.isLfs,
      isGenerated: false,
      ...(content.size !== undefined && one.kind !== "delete" && { size: content.size }),
    };
  });
  return { files, truncated: net.length > kept.length };

  /** Looks at the content, which the diff will need anyway. Nobody reads that of a file whose properties alone changed. */
  async function inspect(one: NetChange, side: FileFacts) {
    const revision = one.kind === "delete" ? ends.base : ends.head;
    if (one.kind === "mode") return { isBinary: false, isLfs: false };
    const content = await contents.read(one.path, revision, limits.maxDiffedFileBytes, budget);
    if (content.outcome === "read") {
      const bytes = withoutLinkPrefix(content.bytes, side.mode);
      return { isBinary: looksBinary(bytes), isLfs: isLfsPointer(bytes), size: bytes.length };
    }
    if (content.outcome !== "too_large") throw damaged(svn.subject, `svn cat: a listed file is ${content.outcome}`);
    const size = (await readEntry(svn, location.url, one.path, revision, budget))?.size;
    return { isBinary: looksBinary(content.beginning), isLfs: false, ...(size !== undefined && { size }) };
  }
}

async function readNetChanges(
  svn: Svn,
  location: Location,
  ends: { readonly base: number; readonly head: number },
  trees: Trees,
  maxBytes: number,
  budget: Budget,
): Promise<readonly NetChange[]> {
  const { base, head } = ends;
  if (head <= base) return [];
  const entries = await readLog(svn, location, { from: base + 1, to: head }, budget, maxBytes);
  if (entries === null) throw damaged(svn.subject, `svn log: r${head} is gone`);
  if (head === base + 1) {
    const net = await netChanges(location, entries.find((entry) => entry.number === head)?.paths ?? [], trees);
    if (net !== null) return net;
  }
  const summary = await svn.attempt(
    "diff",
    ["--summarize", "--xml", "--old", target(location.url, "", base), "--new", target(location.url, "", head)],
    [],
    { budget, maxBytes },
  );
  if (summary.outcome === "ok") {
    return rangeChanges(location, parseSummary(summary.stdout, location.url, svn.subject), entries, trees);
  }
  if (summary.outcome === "cut") throw tooLarge(svn.subject);
  if (summary.outcome !== "no_path") throw damaged(svn.subject, `svn diff --summarize: ${summary.outcome}`);
  // The folder is missing at one of the ends: it was made or removed as a whole.
  const [gone, fresh] = [await trees.filesAtBase(""), await trees.filesAtHead("")];
  return [
    ...gone.map((path): NetChange => ({ kind: "delete", path, propMods: true })),
    ...fresh.map((path): NetChange => ({ kind: "add", path, propMods: true })),
  ];
}

/** Facts of both sides, in as few requests as can be: an old side is asked for only where it may differ from the new one. */
async function readSides(
  svn: Svn,
  url: string,
  changes: readonly NetChange[],
  ends: { readonly base: number; readonly head: number },
  budget: Budget,
): Promise<(change: NetChange) => { readonly old: FileFacts; readonly fresh: FileFacts }> {
  const freshPaths = changes.filter(({ kind }) => kind !== "delete").map(({ path }) => path);
  const oldPaths = changes
    .filter(({ kind, propMods }) => kind !== "add" && propMods)
    .map(({ path, oldPath }) => oldPath ?? path);
  const fresh = await readFacts(svn, url, freshPaths, ends.head, budget);
  const old = await readFacts(svn, url, oldPaths, ends.base, budget);
  return ({ kind, path, oldPath, propMods }) => {
    const now = fresh.get(path) ?? PLAIN;
    return { fresh: now, old: kind !== "add" && propMods ? (old.get(oldPath ?? path) ?? PLAIN) : now };
  };
}

function kindOf(change: NetChange, old: FileFacts, fresh: FileFacts): FileChangeKind {
  const isBoth = change.kind === "modify" || change.kind === "mode";
  return isBoth && (old.mode === SYMLINK) !== (fresh.mode === SYMLINK) ? "type" : change.kind;
}

function raw(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}
