// Gathers what a prompt is made of: the repository's own instructions from the base revision, and what people think of findings.
import type { Change, ChangedFile } from "../core/change.ts";
import { AppError } from "../core/errors.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { RepositoryInstruction, ReviewBrief } from "../ports/brief.ts";
import type { Store } from "../ports/store.ts";
import type { Vcs } from "../ports/vcs.ts";
import type { PreparedChange } from "./prepare-run.ts";

/** Where repositories speak to agents and contributors, the most specific first. */
const ROOT_FILES = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md", "CONTRIBUTING.md"] as const;
/** The one of them that may stand in folders too. */
const NESTED_FILE = "AGENTS.md";
/** Folders above the changed files that are looked into; each costs a question to the VCS. */
const MAX_FOLDERS = 8;
/** Most text of one instruction file, bytes; people write a page or two. */
const MAX_FILE_BYTES = 32 * 1024;
const DEADLINE_MS = 30_000;
/** Questions to the VCS at once: a server may be far away. */
const READ_AT_ONCE = 4;
/** Findings that are told of. */
const MAX_DISMISSED = 40;
const MAX_OPEN = 40;
/** Dismissals that are looked through for those in the changed files. */
const SEARCHED_DISMISSED = 500;

export interface GatherBriefPorts {
  readonly vcs: Vcs;
  readonly store: Pick<Store, "findings" | "openFindings">;
}

/** Throws the VCS's AppErrors; a file that does not exist is no fault. */
export async function gatherBrief(
  { vcs, store }: GatherBriefPorts,
  prepared: PreparedChange,
  signal: AbortSignal,
): Promise<ReviewBrief> {
  const { change, files, diff, commentable, truncated } = prepared;
  const paths = [...new Set(files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath])))];
  const dismissed = await store.findings({
    repository: change.repository,
    state: "dismissed",
    limit: SEARCHED_DISMISSED,
  });
  const open = await store.openFindings(change.repository, change.ref, paths);
  return {
    change,
    files,
    diff,
    commentable,
    isTruncated: truncated,
    instructions: await readInstructions(vcs, change, files, signal),
    dismissed: nearestFirst(dismissed.findings, new Set(paths)).slice(0, MAX_DISMISSED),
    open: open.filter((finding) => finding.dismissed === null).slice(0, MAX_OPEN),
  };
}

async function readInstructions(
  vcs: Vcs,
  change: Change,
  files: readonly ChangedFile[],
  signal: AbortSignal,
): Promise<readonly RepositoryInstruction[]> {
  // What the change itself says of how it is to be reviewed is not heard: there is nothing before an empty base.
  if (change.base === "empty") return [];
  const revision = change.base.canonical;
  const nested = foldersAbove(files).map((folder) => `${folder}/${NESTED_FILE}`);
  const paths = [...ROOT_FILES, ...nested];
  const found = new Map<string, RepositoryInstruction>();
  let next = 0;
  const readOn = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const read = await readInstruction(vcs, revision, path, signal);
      if (read !== null) found.set(path, read);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readOn));
  return paths.flatMap((path) => found.get(path) ?? []);
}

async function readInstruction(
  vcs: Vcs,
  revision: string,
  path: string,
  signal: AbortSignal,
): Promise<RepositoryInstruction | null> {
  try {
    const limits = { signal, deadlineMs: DEADLINE_MS, maxBytes: MAX_FILE_BYTES };
    const { text, truncated } = await vcs.fetchExtraContext({ revision, path }, limits);
    return text.trim() === "" ? null : { path, text, isCut: truncated };
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/** The folders that hold most of the changed files, and those above them, without the root. */
function foldersAbove(files: readonly ChangedFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join("/");
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || a.length - b.length || (a < b ? -1 : 1));
  return sorted.slice(0, MAX_FOLDERS).map(([folder]) => folder);
}

/** Not there, or nothing that could be read as text. An outage is another thing: then the review fails. */
function isAbsent(thrown: unknown): boolean {
  return (
    thrown instanceof AppError &&
    ["not_found", "bad_request", "forbidden", "unsupported", "too_large", "corrupt"].includes(thrown.code)
  );
}

function nearestFirst(findings: readonly StoredFinding[], paths: ReadonlySet<string>): readonly StoredFinding[] {
  const here = findings.filter(({ file }) => paths.has(file));
  return [...here, ...findings.filter(({ file }) => !paths.has(file))];
}
