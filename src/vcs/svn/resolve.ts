// Turns what a person or a feed named into a Change: one revision's own delta, or everything between two revisions.
import type { BaseReason, Change, Revision } from "../../core/change.ts";
import type { ResolveRequest } from "../../ports/vcs.ts";
import { emptyRepository, unknownRevision } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import type { Position } from "./location.ts";
import { readLog, revisionOf } from "./log.ts";
import type { Spec } from "./revision-syntax.ts";
import type { Svn } from "./run-svn.ts";

/** Every change of a Subversion repository belongs to this one stream: its branches are folders. */
export const STREAM = "svn";

/** @param since number of the last reviewed revision, of a feed. */
export async function resolveChange(
  svn: Svn,
  position: Position,
  request: ResolveRequest,
  spec: Spec,
  since: number | null,
  budget: Budget,
): Promise<Change> {
  const subject = { ...svn.subject, rev: request.spec };
  const head = spec.kind === "newest" ? position.lastChanged : spec.kind === "range" ? spec.to : spec.number;
  if (head === 0 && spec.kind === "newest") throw emptyRepository(svn.subject);
  // Nothing was ever changed by r0, and what is newer than the server's head is not there yet.
  if (head === 0 || head > position.head) throw unknownRevision(subject);
  const { base, baseReason } = baseOf(spec, head, since);
  const entries = await readLog(svn, position, base === 0 ? [head] : [base, head], budget);
  if (entries === null) throw unknownRevision(subject);
  const revision = (number: number): Revision =>
    revisionOf(
      number,
      entries.find((entry) => entry.number === number),
    );
  return {
    repository: svn.subject.repository,
    vcs: "svn",
    head: revision(head),
    base: base === 0 ? "empty" : revision(base),
    baseReason,
    ref: STREAM,
    isDefaultBranch: true,
    spec: request.spec,
  };
}

function baseOf(
  spec: Spec,
  head: number,
  since: number | null,
): { readonly base: number; readonly baseReason: BaseReason } {
  if (spec.kind === "range") return { base: spec.from, baseReason: "range" };
  // A feed that lags behind covers everything since its last review; one that was reviewed already is reviewed by itself.
  if (since !== null && since < head - 1) return { base: since, baseReason: "last_reviewed" };
  return { base: head - 1, baseReason: "own_delta" };
}
