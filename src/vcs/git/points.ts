// Finds the commit that one typed name means, by full refs only, and says when a name means two.
import type { Revision } from "../../core/change.ts";
import type { Snapshot } from "./cache.ts";
import { readCommit } from "./commits.ts";
import { ambiguousRevision, emptyRepository, type Subject, unknownRevision } from "./faults.ts";
import type { Objects } from "./objects.ts";
import { isFullId, type Point } from "./revision-syntax.ts";

/** What a name is decides what its base is. */
export interface Found {
  readonly revision: Revision;
  readonly kind: "commit" | "tag" | "branch";
  /** The full ref that the name stands for, or null for a bare commit. */
  readonly ref: string | null;
}

/** The full ref of the default branch; null when there is none. */
export function defaultRef(snapshot: Snapshot, configured: string | undefined): string | null {
  const { refs, headIsDefault } = snapshot;
  const headBranch = refs.head !== null && "ref" in refs.head ? refs.head.ref.replace(/^refs\/heads\//, "") : null;
  // Somebody's checkout says nothing of the default, so a clone's own knowledge and custom come first there.
  const guesses =
    configured !== undefined
      ? [configured]
      : headIsDefault
        ? [headBranch, "main", "master"]
        : [refs.remoteDefault, "main", "master", headBranch];
  for (const name of guesses) {
    if (name === null) continue;
    for (const ref of [`refs/heads/${name}`, `refs/remotes/origin/${name}`]) if (refs.ids.has(ref)) return ref;
  }
  return null;
}

/** Throws `unknown_revision`, `ambiguous_revision` or `empty_repository`. */
export async function findPoint(point: Point, snapshot: Snapshot, objects: Objects, subject: Subject): Promise<Found> {
  const base = lookUp(point.name, snapshot, subject);
  const object = await objects.read(`${base.id}${point.steps}^{commit}`);
  if (object === "ambiguous") throw ambiguousRevision(subject, []);
  if (object === "missing" || object.type !== "commit") throw unknownRevision(subject);
  return {
    revision: readCommit(object, snapshot.shallow),
    // `main~2` is a commit of main, not the branch.
    kind: point.steps === "" ? base.kind : "commit",
    ref: point.steps !== "" && base.kind === "tag" ? null : base.ref,
  };
}

interface Named {
  /** A full id, or an abbreviation of one. */
  readonly id: string;
  readonly kind: Found["kind"];
  readonly ref: string | null;
}

function lookUp(name: string, snapshot: Snapshot, subject: Subject): Named {
  const { ids, head } = snapshot.refs;
  if (ids.size === 0 && !(head !== null && "id" in head)) throw emptyRepository(subject);
  if (name === "HEAD") {
    if (head === null) throw emptyRepository(subject);
    if ("id" in head) return { id: head.id, kind: "commit", ref: null };
    const id = ids.get(head.ref);
    if (id === undefined) throw emptyRepository(subject);
    // The newest commit is meant, whatever branch is checked out.
    return { id, kind: "commit", ref: head.ref };
  }
  // A branch may be named like an id; the id is meant.
  if (isFullId(name)) return { id: name, kind: "commit", ref: null };

  const exact = ids.get(name);
  if (name.startsWith("refs/") && exact !== undefined) return named(name, exact);
  const choices = [`refs/tags/${name}`, `refs/heads/${name}`].filter((ref) => ids.has(ref));
  if (choices.length > 1) throw ambiguousRevision(subject, choices);
  for (const ref of [...choices, `refs/remotes/${name}`, `refs/${name}`]) {
    const id = ids.get(ref);
    if (id !== undefined) return named(ref, id);
  }
  if (/^[0-9a-f]{4,63}$/i.test(name)) return { id: name.toLowerCase(), kind: "commit", ref: null };
  throw unknownRevision(subject);
}

function named(ref: string, id: string): Named {
  return { id, kind: ref.startsWith("refs/tags/") ? "tag" : "branch", ref };
}
