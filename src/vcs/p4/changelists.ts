// Reads changelists as `describe -s` and `changes -l` give them.
import type { Revision, RevisionFlag } from "../../core/change.ts";
import type { Subject } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import type { DepotRoot } from "./depot-paths.ts";
import { garbled } from "./faults.ts";
import type { P4Record } from "./records.ts";
import { canonicalOf, type Point } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

export interface DescribedFile {
  /** Encoded, as p4 takes it. */
  readonly depotFile: string;
  readonly action: string;
  readonly type: string;
  /** The file's revision; of a shelf that which was opened. Null for a file that a shelf adds. */
  readonly revision: number | null;
  /** Bytes; absent where the revision has no content. */
  readonly size?: number;
}

export interface Changelist {
  readonly number: number;
  readonly user: string;
  /** ms since the epoch. */
  readonly time: number;
  readonly description: string;
  readonly isSubmitted: boolean;
  readonly isRestricted: boolean;
  /** In order; empty where they were not asked for. */
  readonly files: readonly DescribedFile[];
}

/** Numbers of one `describe`, so that its answer stays within a buffer. */
const DESCRIBED_AT_ONCE = 20;
const MAX_DESCRIBE_BYTES = 256 << 20;

interface DescribeOptions {
  /** The number is the one that the changelist had before it was submitted. */
  readonly isOriginal?: boolean;
  readonly maxBytes?: number;
}

/** One changelist, or null when there is none of that number. */
export async function describeOne(
  p4: P4,
  budget: Budget,
  point: Point,
  { isOriginal = false, maxBytes = MAX_DESCRIBE_BYTES }: DescribeOptions = {},
): Promise<Changelist | null> {
  const flags = [...(point.kind === "shelf" ? ["-S"] : []), ...(isOriginal ? ["-O"] : [])];
  const answer = await p4.records(["describe", "-s", ...flags, String(point.number)], {
    budget,
    rev: canonicalOf(point),
    expected: ["missing"],
    maxBytes,
  });
  const [record] = answer.records;
  return record === undefined ? null : readChangelist(record, p4.subject);
}

/** Submitted changelists with their files, in the order of the numbers; those that are gone are left out. */
export async function describeAll(p4: P4, budget: Budget, numbers: readonly number[]): Promise<readonly Changelist[]> {
  const read: Changelist[] = [];
  for (let at = 0; at < numbers.length; at += DESCRIBED_AT_ONCE) {
    const some = numbers.slice(at, at + DESCRIBED_AT_ONCE).map(String);
    const answer = await p4.records(["describe", "-s", ...some], {
      budget,
      expected: ["missing"],
      maxBytes: MAX_DESCRIBE_BYTES,
    });
    read.push(...answer.records.map((record) => readChangelist(record, p4.subject)));
  }
  return read.sort((a, b) => a.number - b.number);
}

/** Submitted changelists that touched the depot path, from `first` to `last`, ascending, without files and whole descriptions. */
export async function listSubmitted(
  p4: P4,
  root: DepotRoot,
  budget: Budget,
  range: { readonly first: number; readonly last: number },
): Promise<readonly Changelist[]> {
  if (range.last < range.first) return [];
  const answer = await p4.records(["changes", "-s", "submitted", `${root.all}@${range.first},@${range.last}`], {
    budget,
    mayBeEmpty: true,
    expected: ["missing"],
  });
  if (answer.records.length === 0) await lastCommitted(p4, budget);
  return answer.records.map((record) => readChangelist(record, p4.subject)).sort((a, b) => a.number - b.number);
}

/** The newest submitted changelist of the depot path, up to a number. */
export async function newestSubmitted(
  p4: P4,
  root: DepotRoot,
  budget: Budget,
  upTo?: number,
): Promise<Changelist | null> {
  if (upTo === 0) return null;
  const where = upTo === undefined ? root.all : `${root.all}@${upTo}`;
  const answer = await p4.records(["changes", "-l", "-s", "submitted", "-m", "1", where], {
    budget,
    mayBeEmpty: true,
    expected: ["missing"],
  });
  const [record] = answer.records;
  if (record !== undefined) return readChangelist(record, p4.subject);
  await lastCommitted(p4, budget);
  return null;
}

/**
 * The number of the last submitted changelist of the whole server, pending ones not counted. It always answers, so that an
 * empty list of changes beside it is no outage.
 */
export async function lastCommitted(p4: P4, budget: Budget): Promise<number> {
  const { records } = await p4.records(["counter", "maxCommitChange"], { budget });
  const value = records[0]?.["value"];
  if (value === undefined || !/^\d+$/.test(value)) throw garbled(p4.subject, "counter without a number");
  return Number(value);
}

export function revisionOf(list: Changelist, point: Point): Revision {
  const flags: RevisionFlag[] = [];
  if (point.kind === "shelf") flags.push("pending");
  if (list.isRestricted) flags.push("restricted");
  return {
    vcs: "p4",
    canonical: canonicalOf(point),
    display: point.kind === "shelf" ? `@=${point.number}` : String(point.number),
    author: list.user,
    time: list.time,
    message: list.description,
    parents: [],
    flags,
  };
}

function readChangelist(record: P4Record, subject: Subject): Changelist {
  const { change = "", user, time = "", desc = "", status, changeType } = record;
  if (!/^\d+$/.test(change) || !/^\d+$/.test(time) || user === undefined || status === undefined) {
    throw garbled(subject, `a changelist without its fields: ${Object.keys(record).join(" ").slice(0, 200)}`);
  }
  return {
    number: Number(change),
    user,
    time: Number(time) * 1000,
    description: desc.replace(/\n+$/, ""),
    isSubmitted: status === "submitted",
    isRestricted: changeType === "restricted" || /^<description: restricted\b/.test(desc),
    files: readFiles(record, subject),
  };
}

/** The fields come sorted as text (`depotFile10` before `depotFile2`), so they are asked for by number. */
function readFiles(record: P4Record, subject: Subject): readonly DescribedFile[] {
  const files: DescribedFile[] = [];
  for (let index = 0; ; index++) {
    const depotFile = record[`depotFile${index}`];
    if (depotFile === undefined) break;
    const action = record[`action${index}`];
    const type = record[`type${index}`];
    if (action === undefined || type === undefined) throw garbled(subject, `file ${index} without action or type`);
    const revision = /^\d+$/.exec(record[`rev${index}`] ?? "")?.[0];
    const size = /^\d+$/.exec(record[`fileSize${index}`] ?? "")?.[0];
    files.push({
      depotFile,
      action,
      type,
      revision: revision === undefined ? null : Number(revision),
      ...(size !== undefined && { size: Number(size) }),
    });
  }
  const count = Object.keys(record).filter((key) => /^depotFile\d+$/.test(key)).length;
  if (count !== files.length) throw garbled(subject, "the files are not numbered without a gap");
  return files;
}
