// Where the two sides of a changed file lie on the server, and how large they are.
import type { Change, ChangedFile } from "../../core/change.ts";
import type { Budget } from "../git/run-git.ts";
import { describeOne } from "./changelists.ts";
import { readSizes } from "./contents.ts";
import { type DepotRoot, encodePath, pathOf } from "./depot-paths.ts";
import { canonicalOf, type Point, readPoint } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

export interface Located {
  /** `//depot/path@N`, as p4 takes it. */
  readonly name: string;
  /** Bytes as stored; absent where it is only known when it is read. */
  readonly size?: number;
}

/** One place for each file; null where that side has no such file, or its name cannot be asked for. */
export async function locate(
  p4: P4,
  root: DepotRoot,
  change: Change,
  side: "old" | "new",
  files: readonly ChangedFile[],
  budget: Budget,
): Promise<readonly (Located | null)[]> {
  const head = readPoint(change.head.canonical, p4.subject);
  const paths = files.map((file) => pathOn(side, file));
  if (side === "new") {
    return files.map((file, index) => {
      const path = paths[index] ?? null;
      if (path === null) return null;
      return { name: `${root.depotFile(path)}@${canonicalOf(head)}`, ...sizeOf(file) };
    });
  }
  const suffixes = await oldSuffixes(p4, root, change, head, budget);
  const wanted = paths.map((path) => {
    const suffix = path === null ? null : suffixes(path);
    return path === null || suffix === null ? null : { depotFile: root.depotFile(path), suffix };
  });
  const sizes = await readSizes(
    p4,
    budget,
    wanted.filter((one) => one !== null),
  );
  const folded = new Map([...sizes].map(([file, size]) => [keyOf(root, file), size]));
  return wanted.map((one) => {
    const size = one === null ? undefined : folded.get(keyOf(root, one.depotFile));
    return one === null || size === undefined ? null : { name: one.depotFile + one.suffix, size };
  });
}

function sizeOf(file: ChangedFile): { readonly size?: number } {
  return file.size === undefined ? {} : { size: file.size };
}

function keyOf(root: DepotRoot, depotFile: string): string {
  return encodePath(root.relative(depotFile) ?? depotFile);
}

function pathOn(side: "old" | "new", file: ChangedFile): string | null {
  if (side === "new") return file.kind === "delete" ? null : pathOf(file.rawPath);
  return file.kind === "add" ? null : pathOf(file.oldRawPath ?? file.rawPath);
}

/** The state below a change is the state as of its base; a shelf's files were opened at revisions of their own. */
async function oldSuffixes(
  p4: P4,
  root: DepotRoot,
  change: Change,
  head: Point,
  budget: Budget,
): Promise<(path: string) => string | null> {
  if (head.kind === "submitted") {
    if (change.base === "empty") return () => null;
    const { number } = readPoint(change.base.canonical, p4.subject);
    return () => `@${number}`;
  }
  const shelf = await describeOne(p4, budget, head);
  const opened = new Map(shelf?.files.map((file) => [root.relative(file.depotFile), file.revision]));
  return (path) => {
    const revision = opened.get(path) ?? null;
    return revision === null ? null : `#${revision}`;
  };
}
