// Finds out whether a change is of interest to a subscription.
import type { Change, ChangedFile } from "./change.ts";
import { passesGlobs } from "./glob.ts";
import type { Filters } from "./subscription.ts";

export type Match =
  | { readonly matches: true }
  | { readonly matches: false; readonly reason: "branch" | "path" | "author" };

/** A change passes when its branch, its author and at least one of its files pass. */
export function matchFilters(filters: Filters, change: Change, files: readonly ChangedFile[]): Match {
  const branch = change.ref.replace(/^refs\/(?:heads|tags)\//u, "");
  if (!passesGlobs(branch, filters.branches, filters.notBranches)) return { matches: false, reason: "branch" };
  const author = change.head.author;
  if (!passesGlobs(author, filters.authors, filters.notAuthors)) return { matches: false, reason: "author" };
  const passes = files.some((file) => passesGlobs(file.path, filters.paths, filters.notPaths));
  return passes || files.length === 0 ? { matches: true } : { matches: false, reason: "path" };
}
