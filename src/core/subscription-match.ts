// Finds out whether a change is of interest to a subscription.
import type { Change, ChangedFile } from "./change.ts";
import { passesGlobs } from "./glob.ts";
import type { Filters } from "./subscription.ts";

export type Match =
  | { readonly matches: true }
  | { readonly matches: false; readonly reason: "branch" | "path" | "author" };

/** A change as far as filters look at it. */
export type MatchedChange = Pick<Change, "ref" | "vcs"> & { readonly head: Pick<Change["head"], "author"> };
export type MatchedFile = Pick<ChangedFile, "path" | "oldPath">;

/** A change passes when its branch, its author and at least one of its files pass; a file that moved counts at both places. */
export function matchFilters(filters: Filters, change: MatchedChange, files: readonly MatchedFile[]): Match {
  if (!matchBranch(filters, change)) return { matches: false, reason: "branch" };
  const author = change.head.author;
  if (!passesGlobs(author, filters.authors, filters.notAuthors)) return { matches: false, reason: "author" };
  const passesPath = (path: string): boolean => passesGlobs(path, filters.paths, filters.notPaths);
  const passes = files.some(({ path, oldPath }) => passesPath(path) || (oldPath !== undefined && passesPath(oldPath)));
  return passes || files.length === 0 ? { matches: true } : { matches: false, reason: "path" };
}

/** Whether the branch passes; Perforce and Subversion have folders instead of branches, so that all of theirs do. */
export function matchBranch(filters: Filters, { ref, vcs }: Pick<Change, "ref" | "vcs">): boolean {
  return vcs !== "git" || passesGlobs(branchOf(ref), filters.branches, filters.notBranches);
}

/** The name that people know a ref by. */
export function branchOf(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//u, "");
}
