// Turns what a person or a feed named into a Change: one changelist's own delta, a shelf, or all since the last reviewed one.
import type { Change, Revision } from "../../core/change.ts";
import type { ResolveRequest } from "../../ports/vcs.ts";
import { emptyRepository, type Subject, unknownRevision } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { type Changelist, describeOne, newestSubmitted, revisionOf } from "./changelists.ts";
import type { DepotRoot } from "./depot-paths.ts";
import { pendingChangelist } from "./faults.ts";
import { parseSpec } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

/** The one stream of submitted changes; a shelf has its own, so that its findings are not taken for the depot's. */
export const STREAM = "p4";

export async function resolveChange(p4: P4, root: DepotRoot, request: ResolveRequest, budget: Budget): Promise<Change> {
  const subject: Subject = { ...p4.subject, rev: request.spec };
  const spec = parseSpec(request.spec, p4.subject);
  const common = { repository: p4.subject.repository, vcs: "p4", isDefaultBranch: true, spec: request.spec } as const;

  if (spec.kind === "shelf") {
    const list = await describeOne(p4, budget, spec);
    if (list === null || list.isSubmitted || !touches(list, root)) throw unknownRevision(subject);
    const base = await newestSubmitted(p4, root, budget);
    return {
      ...common,
      head: revisionOf(list, spec),
      base: base === null ? "empty" : submitted(base),
      baseReason: "own_delta",
      ref: `${STREAM}@=${spec.number}`,
    };
  }

  const head = spec.kind === "newest" ? await newest(p4, root, budget) : await find(p4, root, spec.number, budget);
  const since = sinceOf(request, head.number);
  const base = await newestSubmitted(p4, root, budget, since ?? head.number - 1);
  return {
    ...common,
    head: submitted(head),
    base: base === null ? "empty" : submitted(base),
    baseReason: since === null ? "own_delta" : "last_reviewed",
    ref: STREAM,
  };
}

async function newest(p4: P4, root: DepotRoot, budget: Budget): Promise<Changelist> {
  const list = await newestSubmitted(p4, root, budget);
  if (list === null) throw emptyRepository(p4.subject);
  return list;
}

/** By its number, or by the number that it had before it was submitted. */
async function find(p4: P4, root: DepotRoot, number: number, budget: Budget): Promise<Changelist> {
  const subject: Subject = { ...p4.subject, rev: String(number) };
  const point = { kind: "submitted", number } as const;
  const list = (await describeOne(p4, budget, point)) ?? (await describeOne(p4, budget, point, { isOriginal: true }));
  if (list === null) throw unknownRevision(subject);
  if (!list.isSubmitted) throw pendingChangelist(subject, number);
  // What lies wholly outside of the depot path is somebody else's, its description too.
  if (!touches(list, root)) throw unknownRevision(subject);
  return list;
}

function touches(list: Changelist, root: DepotRoot): boolean {
  return list.files.some(({ depotFile }) => root.relative(depotFile) !== null);
}

function sinceOf(request: ResolveRequest, head: number): number | null {
  const { since } = request;
  if (since === undefined || !/^\d{1,10}$/.test(since)) return null;
  const number = Number(since);
  return number > 0 && number < head ? number : null;
}

function submitted(list: Changelist): Revision {
  return revisionOf(list, { kind: "submitted", number: list.number });
}
