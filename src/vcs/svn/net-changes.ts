// What one revision did to the files below the configured folder, told from its log entry: copies, moves, whole folders.
import { isAbove, type Location, relativeTo } from "./location.ts";
import type { LoggedPath } from "./log.ts";

/** A change of one file; paths are text below the configured folder. */
export interface NetChange {
  readonly kind: "add" | "modify" | "delete" | "rename" | "copy" | "mode";
  readonly path: string;
  /** Where it was at the base, for renames and copies. */
  readonly oldPath?: string;
  /** Its properties may differ between the two sides. */
  readonly propMods: boolean;
}

/** Questions to the server about the folder at the two ends of the change. */
export interface Trees {
  kindAtBase(path: string): Promise<"file" | "dir" | null>;
  filesAtBase(folder: string): Promise<readonly string[]>;
  filesAtHead(folder: string): Promise<readonly string[]>;
}

interface FolderCopy {
  readonly to: string;
  /** Null where it comes from outside of the configured folder or is not there at the base. */
  readonly from: string | null;
}

type Inside = LoggedPath & { readonly at: string };

/**
 * Null where a log entry does not tell enough (a replaced folder, a server that hides kinds): two trees must be compared.
 *
 * A folder that was copied within the configured one is copy-only: of its files only those are listed that were edited in the
 * same revision. One that came from outside (a merged branch) is new to this repository: all its files are. Copying the
 * configured folder itself (making the branch) adds nothing.
 */
export async function netChanges(
  location: Location,
  paths: readonly LoggedPath[],
  trees: Trees,
): Promise<readonly NetChange[] | null> {
  const inside = paths.flatMap((path): readonly Inside[] => {
    const at = isAbove(location, path.path) ? null : relativeTo(location, path.path);
    return at === null ? [] : [{ ...path, at }];
  });
  const above = paths.filter((path) => isAbove(location, path.path));
  const isUnclear = (path: LoggedPath): boolean => path.kind === "" || (path.kind === "dir" && path.action === "R");
  if ([...inside, ...above].some(isUnclear)) return null;
  if (above.some(({ action }) => action === "D") || inside.some(({ at, action }) => at === "" && action === "D")) {
    return (await trees.filesAtBase("")).map((path) => ({ kind: "delete", path, propMods: true }));
  }
  return collect(location, inside, await folderCopies(location, inside, above, trees), trees);
}

async function folderCopies(
  location: Location,
  inside: readonly Inside[],
  above: readonly LoggedPath[],
  trees: Trees,
): Promise<readonly FolderCopy[]> {
  const copies: FolderCopy[] = [];
  if (above.some(({ copyFrom }) => copyFrom !== undefined)) copies.push({ to: "", from: null });
  for (const { at, kind, action, copyFrom } of inside) {
    if (kind !== "dir" || action !== "A" || copyFrom === undefined) continue;
    const from = at === "" ? null : relativeTo(location, copyFrom.path);
    copies.push({ to: at, from: from !== null && (await trees.kindAtBase(from)) === "dir" ? from : null });
  }
  // The deepest copy that holds a path is the one that it comes from.
  return copies.sort((a, b) => b.to.length - a.to.length);
}

async function collect(
  location: Location,
  inside: readonly Inside[],
  copies: readonly FolderCopy[],
  trees: Trees,
): Promise<readonly NetChange[]> {
  const changes = new Map<string, NetChange>();
  const put = (change: NetChange): void => {
    if (!changes.has(change.path)) changes.set(change.path, change);
  };
  const sourceAtBase = (path: string): string | null => {
    const copy = copies.find(({ to }) => isBelow(to, path));
    return copy === undefined ? path : sourceOf(copy, path);
  };
  const deletions: Pick<Inside, "at" | "kind">[] = inside.filter(({ action }) => action === "D");
  // A file in a folder's place deletes all that the folder held.
  const replaced = new Set<string>();
  for (const { at, kind, action } of inside) {
    const source = action === "R" && kind === "file" ? sourceAtBase(at) : null;
    if (source !== null && (await trees.kindAtBase(source)) === "dir") replaced.add(at);
  }
  for (const at of replaced) deletions.push({ at, kind: "dir" });
  const deleted = new Set(deletions.map(({ at }) => at));
  const isDeleted = (path: string): boolean => withFolders(path).some((folder) => deleted.has(folder));
  /** Old paths that live on under a new name. */
  const moved = new Set<string>();

  /** A file that came from a path of the base: its rename, its copy, or, with nothing there at the base, its addition. */
  async function putFrom(source: string | null, path: string): Promise<void> {
    if (source === null || (await trees.kindAtBase(source)) !== "file") {
      return put({ kind: "add", path, propMods: true });
    }
    const isMove = isDeleted(source) && !moved.has(source);
    if (isMove) moved.add(source);
    put({ kind: isMove ? "rename" : "copy", path, oldPath: source, propMods: true });
  }

  for (const { at, kind, action, copyFrom, textMods, propMods } of inside) {
    if (kind !== "file" || action === "D") continue;
    const source = sourceAtBase(at);
    if (action === "A") await putFrom(copyFrom ? relativeTo(location, copyFrom.path) : null, at);
    else if (source !== at || replaced.has(at)) await putFrom(source, at);
    else {
      const isMode = action === "M" && !textMods && propMods;
      put({ kind: isMode ? "mode" : "modify", path: at, propMods: propMods || action === "R" });
    }
  }
  for (const copy of copies) {
    if (copy.from !== null || copy.to === "") continue;
    for (const path of await trees.filesAtHead(copy.to)) put({ kind: "add", path, propMods: true });
  }

  const movedFolders = copies.flatMap(({ from }) => (from !== null && isDeleted(from) ? [from] : []));
  const livesOn = (path: string): boolean => moved.has(path) || movedFolders.some((folder) => isBelow(folder, path));
  for (const { at, kind } of deletions) {
    const copy = copies.find(({ to }) => isBelow(to, at));
    // Left out of a copy: of a moved folder that is a deletion at the old place, of a copied one it is nothing.
    const source =
      copy === undefined ? at : copy.from !== null && movedFolders.includes(copy.from) ? sourceOf(copy, at) : null;
    if (source === null || (copy === undefined && movedFolders.includes(at))) continue;
    for (const path of kind === "file" ? [source] : await trees.filesAtBase(source)) {
      if (copy !== undefined || !livesOn(path)) put({ kind: "delete", path, propMods: true });
    }
  }
  return [...changes.values()];
}

function sourceOf(copy: FolderCopy, path: string): string | null {
  if (copy.from === null) return null;
  const rest = copy.to === "" ? path : path.slice(copy.to.length + 1);
  return copy.from === "" ? rest : `${copy.from}/${rest}`;
}

function isBelow(folder: string, path: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

/** The path and every folder that holds it. */
function withFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
