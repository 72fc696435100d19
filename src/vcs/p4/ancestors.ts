// Asks `filelog` what changed files were before: the revision below, and the file that one was moved from.
import type { Budget } from "../git/run-git.ts";
import type { DescribedFile } from "./changelists.ts";
import type { P4Record } from "./records.ts";
import type { Point } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

interface FileRevision {
  readonly action: string;
  readonly type: string;
  readonly digest?: string;
}

export interface Ancestor {
  /** Absent where the server's history begins with this revision, whatever its number. */
  readonly previous?: FileRevision;
  /** The depot file of which a `move/add` is the new name. */
  readonly movedFrom?: string;
  /** Of the changed revision itself. */
  readonly digest?: string;
}

/** Arguments may be 128 KiB each and about 2 MiB together. */
const MAX_ARGUMENT_BYTES = 96 << 10;
const MAX_FILES_AT_ONCE = 500;

/** By depot file as described. Files of which the server no longer knows anything are left out. */
export async function readAncestors(
  p4: P4,
  budget: Budget,
  files: readonly DescribedFile[],
  head: Point,
): Promise<ReadonlyMap<string, Ancestor>> {
  const ancestors = new Map<string, Ancestor>();
  const known = files.filter(({ revision }) => revision !== null);
  const depth = head.kind === "shelf" ? "1" : "2";
  for (const some of chunks(known.map(({ depotFile, revision }) => `${depotFile}#${revision}`))) {
    const { records } = await p4.records(["filelog", "-m", depth, ...some], {
      budget,
      expected: ["missing", "forbidden"],
    });
    for (const record of records) {
      const { depotFile } = record;
      // The history of the file that one was moved from may follow as a record of its own.
      if (depotFile === undefined || ancestors.has(depotFile)) continue;
      ancestors.set(depotFile, readAncestor(record, head));
    }
  }
  return ancestors;
}

function readAncestor(record: P4Record, head: Point): Ancestor {
  // A shelf's file is none of the log's revisions: the newest of these is what was opened.
  const at = head.kind === "shelf" ? -1 : 0;
  const previous = readRevision(record, at + 1);
  const movedFrom = at < 0 ? undefined : readMove(record, at);
  const digest = at < 0 ? undefined : record[`digest${at}`];
  return {
    ...(previous && { previous }),
    ...(movedFrom !== undefined && { movedFrom }),
    ...(digest !== undefined && { digest }),
  };
}

function readRevision(record: P4Record, index: number): FileRevision | null {
  const action = record[`action${index}`];
  const type = record[`type${index}`];
  const digest = record[`digest${index}`];
  if (action === undefined || type === undefined) return null;
  return { action, type, ...(digest !== undefined && { digest }) };
}

function readMove(record: P4Record, index: number): string | undefined {
  for (let integration = 0; ; integration++) {
    const how = record[`how${index},${integration}`];
    if (how === undefined) return undefined;
    if (how === "moved from") return record[`file${index},${integration}`];
  }
}

/** Cuts arguments into portions that a command line holds. */
export function* chunks(args: readonly string[]): Generator<readonly string[], void, undefined> {
  let some: string[] = [];
  let bytes = 0;
  for (const arg of args) {
    const size = Buffer.byteLength(arg) + 1;
    if (some.length >= MAX_FILES_AT_ONCE || (some.length > 0 && bytes + size > MAX_ARGUMENT_BYTES)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(arg);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
