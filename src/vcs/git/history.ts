// Questions to the commit graph; every argument is a full id.
import type { Snapshot } from "./cache.ts";
import { damaged } from "./faults.ts";
import { cachedRef } from "./remote.ts";
import type { Git, GitRun } from "./run-git.ts";

/** False also when one of the two is not there: what cannot be reached is no ancestor. */
export async function isAncestor(git: Git, run: GitRun, ancestor: string, descendant: string): Promise<boolean> {
  if (ancestor === descendant) return true;
  const result = await git.attempt(["merge-base", "--is-ancestor", ancestor, descendant], run);
  return result.reason === "exited" && result.code === 0;
}

/** The best common ancestor; null when there is none. Throws `corrupt` when the graph cannot be read: that is not "none". */
export async function mergeBase(git: Git, run: GitRun, a: string, b: string): Promise<string | null> {
  const result = await git.attempt(["merge-base", a, b], run);
  if (result.reason === "exited" && result.code === 0) return result.stdout.toString("latin1").trim();
  if (result.reason === "exited" && result.code === 1) return null;
  throw damaged(git.subject, `git merge-base: ${result.stderr.toString()}`);
}

/** The ref that a bare commit is counted to: the default branch, else a branch, else whatever contains it; null for none. */
export async function refContaining(
  git: Git,
  snapshot: Snapshot,
  main: string | null,
  id: string,
): Promise<string | null> {
  const { refs, run } = snapshot;
  const tip = main === null ? undefined : refs.ids.get(main);
  if (main !== null && tip !== undefined && (await isAncestor(git, run, id, tip))) return main;
  const containing = await refsContaining(git, run, id);
  return containing.find((ref) => ref.startsWith("refs/heads/")) ?? containing[0] ?? null;
}

export async function isContained(git: Git, snapshot: Snapshot, id: string): Promise<boolean> {
  for (const tip of snapshot.refs.ids.values()) if (tip === id) return true;
  return (await refsContaining(git, snapshot.run, id)).length > 0;
}

async function refsContaining(git: Git, run: GitRun, id: string): Promise<readonly string[]> {
  const result = await git.attempt(
    ["for-each-ref", "--format=%(refname)", `--contains=${id}`, cachedRef("refs/")],
    run,
  );
  if (result.reason !== "exited" || result.code !== 0) return [];
  return result.stdout
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^refs\/aicr\//, "refs/"));
}
