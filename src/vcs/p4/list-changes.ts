// Lists the files of a change below the depot path: one changelist's, a shelf's, or the sum of several.
import type { Change, ChangedFile, FileChangeKind } from "../../core/change.ts";
import type { ChangedFiles } from "../../ports/vcs.ts";
import type { Budget } from "../git/run-git.ts";
import { type Ancestor, readAncestors } from "./ancestors.ts";
import { type Changelist, type DescribedFile, describeAll, describeOne, listSubmitted } from "./changelists.ts";
import { type DepotRoot, rawPath } from "./depot-paths.ts";
import { readFileType } from "./file-types.ts";
import { type Point, readPoint } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

interface ListLimits {
  readonly maxFiles: number;
  readonly maxChangelists: number;
  /** Most bytes of one answer of the server. */
  readonly maxBytes?: number;
}

/** Actions after which the file is there although it was not before; everything unknown counts as an edit. */
const ADDS = new Set(["add", "branch", "import", "move/add"]);
const DELETES = new Set(["delete", "move/delete"]);

interface Touched {
  readonly path: string;
  /** The first and the last of what happened to it; the same where one changelist is looked at. */
  readonly first: DescribedFile;
  readonly last: DescribedFile;
}

export async function listChanges(
  p4: P4,
  root: DepotRoot,
  change: Change,
  budget: Budget,
  limits: ListLimits,
): Promise<ChangedFiles> {
  const head = readPoint(change.head.canonical, p4.subject);
  const { lists, isCut } = await changelistsOf(p4, root, change, head, budget, limits);
  const touched = collect(lists, root);
  const kept = touched.slice(0, limits.maxFiles);
  const ancestors = await readAncestors(
    p4,
    budget,
    kept.filter(needsAncestor).map(({ last }) => last),
    head,
  );
  const moved = head.kind === "shelf" ? onlyMove(lists) : null;

  const files: ChangedFile[] = [];
  const gone = new Set<string>();
  for (const file of kept) {
    const ancestor = ancestors.get(file.last.depotFile) ?? null;
    const from = lists.length === 1 ? (moved?.get(file.last.depotFile) ?? ancestor?.movedFrom ?? null) : null;
    const oldPath = from === null ? null : root.relative(from);
    if (oldPath !== null) gone.add(oldPath);
    files.push(changedFile(file, oldPath, ancestor));
  }
  return {
    // The other half of a move is told by the rename.
    files: files.filter((file) => !(file.kind === "delete" && gone.has(file.path))),
    truncated: isCut || kept.length < touched.length,
  };
}

async function changelistsOf(
  p4: P4,
  root: DepotRoot,
  change: Change,
  head: Point,
  budget: Budget,
  { maxChangelists, maxBytes }: ListLimits,
): Promise<{ readonly lists: readonly Changelist[]; readonly isCut: boolean }> {
  if (head.kind === "submitted" && change.baseReason === "last_reviewed") {
    const base = change.base === "empty" ? 0 : readPoint(change.base.canonical, p4.subject).number;
    const all = await listSubmitted(p4, root, budget, { first: base + 1, last: head.number });
    const numbers = all.slice(-maxChangelists).map(({ number }) => number);
    return { lists: await describeAll(p4, budget, numbers), isCut: numbers.length < all.length };
  }
  const list = await describeOne(p4, budget, head, maxBytes === undefined ? {} : { maxBytes });
  return { lists: list === null ? [] : [list], isCut: false };
}

/** One entry for each file that the changelists left different from what they found. */
function collect(lists: readonly Changelist[], root: DepotRoot): readonly Touched[] {
  const touched = new Map<string, Touched>();
  for (const { files } of lists) {
    for (const file of files) {
      const path = root.relative(file.depotFile);
      if (path === null) continue;
      touched.set(path, { path, first: touched.get(path)?.first ?? file, last: file });
    }
  }
  return [...touched.values()].filter(({ first, last }) => !(ADDS.has(first.action) && DELETES.has(last.action)));
}

function needsAncestor({ first, last }: Touched): boolean {
  return last.action === "move/add" || !(ADDS.has(first.action) || DELETES.has(last.action));
}

/** A shelf does not say what was moved where; a single pair says it all the same. */
function onlyMove(lists: readonly Changelist[]): ReadonlyMap<string, string> {
  const files = lists.flatMap((list) => list.files);
  const [to, ...otherTo] = files.filter(({ action }) => action === "move/add");
  const [from, ...otherFrom] = files.filter(({ action }) => action === "move/delete");
  const isOnly = to && from && otherTo.length === 0 && otherFrom.length === 0;
  return new Map(isOnly ? [[to.depotFile, from.depotFile]] : []);
}

function changedFile(file: Touched, oldPath: string | null, ancestor: Ancestor | null): ChangedFile {
  const { last, path } = file;
  const type = readFileType(last.type);
  const before = oldPath === null && file.first === last ? ancestor?.previous : undefined;
  const old = before === undefined ? null : readFileType(before.type);
  const kind = kindOf(file, oldPath, ancestor);
  return {
    kind,
    path,
    rawPath: rawPath(path),
    ...(oldPath !== null && { oldPath, oldRawPath: rawPath(oldPath) }),
    ...(kind === "delete" ? { oldMode: type.mode } : { newMode: type.mode }),
    ...(old !== null && kind !== "delete" && kind !== "add" && { oldMode: old.mode }),
    isBinary: type.isBinary,
    isSymlink: type.isSymlink,
    isSubmodule: false,
    isLfs: false,
    isGenerated: false,
    ...(kind !== "delete" && last.size !== undefined && { size: last.size }),
  };
}

function kindOf({ first, last }: Touched, oldPath: string | null, ancestor: Ancestor | null): FileChangeKind {
  if (DELETES.has(last.action)) return "delete";
  if (oldPath !== null) return "rename";
  if (ADDS.has(first.action)) return "add";
  // Several changelists: the file's revision before the last one may be one of them, so it proves nothing.
  if (ancestor === null || first !== last) return "modify";
  const { previous } = ancestor;
  // What it was before is deleted, or was removed from the server's history: there is nothing to compare with.
  if (previous === undefined || DELETES.has(previous.action)) return "add";
  const [old, fresh] = [readFileType(previous.type), readFileType(last.type)];
  if (old.isSymlink !== fresh.isSymlink || old.isBinary !== fresh.isBinary) return "type";
  const isSame = previous.digest !== undefined && previous.digest === ancestor.digest;
  return isSame && old.mode !== fresh.mode ? "mode" : "modify";
}
