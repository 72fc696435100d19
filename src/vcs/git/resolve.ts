// Turns what a person or a feed named into a Change: a head, and the base that it is to be compared with.
import type { BaseReason, Change, Revision } from "../../core/change.ts";
import type { ResolveRequest } from "../../ports/vcs.ts";
import type { Snapshot } from "./cache.ts";
import { readCommit } from "./commits.ts";
import {
  damaged,
  emptyRepository,
  noCommonHistory,
  noDefaultBranch,
  type Subject,
  shallowHistory,
  unknownRevision,
} from "./faults.ts";
import { isAncestor, isContained, mergeBase, refContaining } from "./history.ts";
import type { Objects } from "./objects.ts";
import { defaultRef, type Found, findPoint } from "./points.ts";
import { isFullId, isZeroId, type Spec } from "./revision-syntax.ts";
import type { Git } from "./run-git.ts";

interface ResolveParts {
  readonly git: Git;
  readonly snapshot: Snapshot;
  readonly objects: Objects;
  readonly repository: string;
  readonly defaultBranch: string | undefined;
  /** A remote's commits count only while an allowed ref contains them. */
  readonly mustBeContained: boolean;
}

interface Base {
  readonly base: Revision | "empty";
  readonly baseReason: BaseReason;
}

/** @param spec the parsed text of `request.spec`. Throws the faults of points.ts, `shallow_history`, `no_common_history`. */
export async function resolveChange(parts: ResolveParts, request: ResolveRequest, spec: Spec): Promise<Change> {
  const { snapshot, repository } = parts;
  const subject: Subject = { repository, rev: request.spec };
  const main = defaultRef(snapshot, parts.defaultBranch);

  async function change(found: Found, base: Base): Promise<Change> {
    if (found.revision.flags.includes("shallow") && base.base === "empty") throw shallowHistory(subject);
    const ref = found.ref ?? (await refOf(found.revision));
    return {
      repository,
      vcs: "git",
      head: found.revision,
      ...base,
      ref,
      isDefaultBranch: ref === main,
      spec: request.spec,
    };
  }

  /** A bare commit belongs to the default branch if that contains it, else to another ref that does. */
  async function refOf(revision: Revision): Promise<string> {
    const ref = await refContaining(parts.git, snapshot, main, revision.canonical);
    if (ref === null && parts.mustBeContained) throw unknownRevision(subject);
    return ref ?? `commit/${revision.canonical}`;
  }

  if (request.ref !== undefined) return change(...(await fromFeed(parts, request, request.ref, main)));
  switch (spec.kind) {
    case "newest": {
      if (snapshot.refs.ids.size === 0) throw emptyRepository(subject);
      const name = main ?? (snapshot.refs.head === null ? null : "HEAD");
      if (name === null) throw noDefaultBranch(subject);
      const found = await findPoint({ name, steps: "" }, snapshot, parts.objects, subject);
      return change(found, await firstParent(parts, found.revision, subject));
    }
    case "point": {
      const found = await findPoint(spec.point, snapshot, parts.objects, subject);
      if (found.kind === "branch" && found.ref !== main && main !== null) {
        return change(found, await sinceBranching(parts, found.revision, main, subject));
      }
      return change(found, await firstParent(parts, found.revision, subject));
    }
    case "review": {
      const ref = reviewRef(snapshot, spec.number);
      if (ref === null) throw unknownRevision(subject);
      if (main === null) throw noDefaultBranch(subject);
      const found = await findPoint({ name: ref, steps: "" }, snapshot, parts.objects, subject);
      return change(found, await sinceBranching(parts, found.revision, main, subject));
    }
    case "range": {
      const from = await findPoint(spec.from, snapshot, parts.objects, subject);
      const to = await findPoint(spec.to, snapshot, parts.objects, subject);
      if (parts.mustBeContained && !(await isContained(parts.git, snapshot, from.revision.canonical))) {
        throw unknownRevision(subject);
      }
      const id = await mergeBase(parts.git, snapshot.run, from.revision.canonical, to.revision.canonical);
      if (id === null) throw snapshot.shallow.size > 0 ? shallowHistory(subject) : noCommonHistory(subject);
      return change(to, { base: await commit(parts, id, subject), baseReason: "range" });
    }
  }
}

/** The ref by which the host offers the head of a pull or merge request. */
export function reviewRef(snapshot: Pick<Snapshot, "refs">, number: number): string | null {
  const names = [`refs/pull/${number}/head`, `refs/merge-requests/${number}/head`];
  return names.find((ref) => snapshot.refs.ids.has(ref)) ?? null;
}

/** A push: everything since the last reviewed head if that still leads to the new one. */
async function fromFeed(
  parts: ResolveParts,
  request: ResolveRequest,
  ref: string,
  main: string | null,
): Promise<readonly [Found, Base]> {
  const { snapshot, objects, git } = parts;
  const subject: Subject = { repository: parts.repository, rev: request.spec || ref };
  const id = request.spec === "" ? snapshot.refs.ids.get(ref) : request.spec;
  if (id === undefined || !isFullId(id) || isZeroId(id)) throw unknownRevision(subject);
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch";
  const { revision } = await findPoint({ name: id, steps: "" }, snapshot, objects, subject);
  if (parts.mustBeContained && !(await isContained(git, snapshot, revision.canonical))) throw unknownRevision(subject);

  let head = revision;
  const { since } = request;
  if (since !== undefined && isFullId(since) && !isZeroId(since)) {
    const last = await objects.read(`${since}^{commit}`);
    if (typeof last !== "string" && (await isAncestor(git, snapshot.run, since, head.canonical))) {
      return [
        { revision: head, kind, ref },
        { base: readCommit(last, snapshot.shallow), baseReason: "last_reviewed" },
      ];
    }
    head = { ...head, flags: [...head.flags, "forced"] };
    if (typeof last !== "string" && ref === main) {
      const common = await mergeBase(git, snapshot.run, since, head.canonical);
      if (common !== null) {
        return [
          { revision: head, kind, ref },
          { base: await commit(parts, common, subject), baseReason: "merge_base" },
        ];
      }
    }
  }
  const base =
    kind === "branch" && ref !== main && main !== null
      ? await sinceBranching(parts, head, main, subject)
      : await firstParent(parts, head, subject);
  return [{ revision: head, kind, ref }, base];
}

async function firstParent(parts: ResolveParts, head: Revision, subject: Subject): Promise<Base> {
  if (head.flags.includes("shallow")) throw shallowHistory(subject);
  const parent = head.parents[0];
  if (parent === undefined) return { base: "empty", baseReason: "empty_tree" };
  return { base: await commit(parts, parent, subject), baseReason: "first_parent" };
}

/** What the branch adds to the default branch. A branch that was merged gives an empty change, an unrelated one all its files. */
async function sinceBranching(parts: ResolveParts, head: Revision, main: string, subject: Subject): Promise<Base> {
  const id = await mergeBase(parts.git, parts.snapshot.run, parts.snapshot.refs.ids.get(main) ?? main, head.canonical);
  if (id !== null) return { base: await commit(parts, id, subject), baseReason: "merge_base" };
  // A cut history may merely hide the common commit; claiming that everything is new would be false.
  if (parts.snapshot.shallow.size > 0) throw shallowHistory(subject);
  return { base: "empty", baseReason: "empty_tree" };
}

async function commit(parts: ResolveParts, id: string, subject: Subject): Promise<Revision> {
  const object = await parts.objects.read(`${id}^{commit}`);
  if (typeof object === "string") throw damaged(subject, `commit ${id} cannot be read`);
  return readCommit(object, parts.snapshot.shallow);
}
