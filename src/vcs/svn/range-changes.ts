// What changed between two revisions: svn's comparison of the two trees, with moves traced back through the log between them.
import type { Subject } from "../git/faults.ts";
import { type Location, relativeTo } from "./location.ts";
import type { LogEntry } from "./log.ts";
import type { NetChange, Trees } from "./net-changes.ts";
import { decode } from "./source.ts";
import { eachElement } from "./xml.ts";

/** One line of `svn diff --summarize`; of files only. */
export interface TreeDifference {
  readonly item: "added" | "modified" | "deleted" | "none";
  readonly path: string;
  readonly isFolder: boolean;
  readonly propMods: boolean;
}

/** @param url the configured URL, which begins every path of the summary. */
export function parseSummary(xml: Buffer, url: string, subject: Subject): readonly TreeDifference[] {
  const root = decode(url);
  const differences: TreeDifference[] = [];
  eachElement(xml, "path", subject, ({ attributes, text }) => {
    const { item, kind, props } = attributes;
    differences.push({
      item: item === "added" || item === "deleted" || item === "none" ? item : "modified",
      path: decode(text).slice(root.length + 1),
      isFolder: kind === "dir",
      propMods: props !== "none",
    });
  });
  return differences;
}

/** @param entries the log between the two revisions, in any order. */
export async function rangeChanges(
  location: Location,
  differences: readonly TreeDifference[],
  entries: readonly LogEntry[],
  trees: Trees,
): Promise<readonly NetChange[]> {
  const files = differences.filter(({ isFolder }) => !isFolder);
  const deleted = new Set(files.filter(({ item }) => item === "deleted").map(({ path }) => path));
  for (const { item, path, isFolder } of differences) {
    if (!isFolder || item !== "deleted" || [...deleted].some((file) => file.startsWith(`${path}/`))) continue;
    for (const file of await trees.filesAtBase(path)) deleted.add(file);
  }
  const history = traceable(location, entries);
  const changes: NetChange[] = [];
  const moved = new Set<string>();
  for (const { item, path, propMods } of files) {
    if (item === "deleted") continue;
    if (item !== "added") {
      changes.push({ kind: item === "none" ? "mode" : "modify", path, propMods });
      continue;
    }
    if (deleted.has(path)) {
      // A replaced file appears twice.
      moved.add(path);
      changes.push({ kind: "modify", path, propMods: true });
      continue;
    }
    const origin = history(path);
    const isThere = origin.path !== path && (await trees.kindAtBase(origin.path)) === "file";
    if (!isThere) {
      changes.push({ kind: "add", path, propMods: true });
      continue;
    }
    const isMove = deleted.has(origin.path) && !moved.has(origin.path);
    if (isMove) moved.add(origin.path);
    // Carried along by a folder's copy or move, and never touched: nothing to read.
    if (origin.isTouched)
      changes.push({ kind: isMove ? "rename" : "copy", path, oldPath: origin.path, propMods: true });
  }
  for (const path of deleted) if (!moved.has(path)) changes.push({ kind: "delete", path, propMods: true });
  return changes;
}

interface Origin {
  readonly path: string;
  /** Some revision names the file itself. */
  readonly isTouched: boolean;
}

/** Follows a path back through the copies of the log, newest first. */
function traceable(location: Location, entries: readonly LogEntry[]): (path: string) => Origin {
  const newestFirst = [...entries].sort((a, b) => b.number - a.number);
  return (path) => {
    let current = `${location.path}/${path}`;
    let isTouched = false;
    for (const { paths } of newestFirst) {
      const own = paths.find((change) => change.path === current && change.action !== "D");
      if (own !== undefined) isTouched = true;
      const copy = paths
        .filter(({ path: to, copyFrom }) => copyFrom !== undefined && (current === to || current.startsWith(`${to}/`)))
        .sort((a, b) => b.path.length - a.path.length)[0];
      // A file that was added anew within a copied folder has no older name.
      if (own?.action === "A" && own.copyFrom === undefined) break;
      if (copy?.copyFrom !== undefined) current = `${copy.copyFrom.path}${current.slice(copy.path.length)}`;
    }
    const origin = relativeTo(location, current);
    return origin === null ? { path, isTouched: true } : { path: origin, isTouched };
  };
}
