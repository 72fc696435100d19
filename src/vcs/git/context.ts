// Fetches lines of a file at exactly the reviewed revision, by object.
import type { ContextRequest, FetchedContext, LineRange } from "../../ports/vcs.ts";
import { looksBinary } from "./blobs.ts";
import { badPath, missingPath, notText, unknownRevision } from "./faults.ts";
import { withObjects } from "./objects.ts";
import { readPath } from "./repository-path.ts";
import { requireFullId } from "./revision-syntax.ts";
import type { Git, GitRun } from "./run-git.ts";
import { createTrees } from "./trees.ts";

/** Lines can be wanted from a file far larger than an answer may be, but not from any. */
const MAX_BLOB_BYTES = 64 << 20;

export async function fetchContext(
  git: Git,
  run: GitRun,
  request: ContextRequest,
  maxBytes: number,
): Promise<FetchedContext> {
  const { path, bytes } = await readBlob(git, run, request);
  if (looksBinary(bytes)) throw notText(git.subject, path, "a binary file");
  return { path, ...selectLines(bytes, request.lines, maxBytes) };
}

/** The blob at a path of a revision. Throws `not_found`, and `bad_request` for a directory. */
export async function readBlob(
  git: Git,
  run: GitRun,
  request: ContextRequest,
): Promise<{ readonly path: string; readonly bytes: Buffer; readonly mode: string }> {
  const { subject } = git;
  const path = readPath(request.path, subject);
  const revision = requireFullId(request.revision, subject.repository);
  return withObjects(git, run, subject, async (objects) => {
    if (typeof (await objects.read(`${revision}^{commit}`)) === "string") {
      throw unknownRevision({ ...subject, rev: revision });
    }
    const raw = Buffer.from(path, "utf8").toString("latin1");
    const entry = await createTrees(objects, revision, subject).find(raw);
    if (entry === null) throw missingPath(subject, path);
    if (entry.mode === "040000") throw badPath(subject, path, "it is a directory");
    if (entry.mode === "160000") throw notText(subject, path, "a submodule");
    const object = await objects.read(entry.id, MAX_BLOB_BYTES);
    if (typeof object === "string") throw missingPath(subject, path);
    return { path, bytes: object.bytes, mode: entry.mode };
  });
}

/** Number of lines as editors count them: a last line without a line feed counts. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? lines + 1 : lines;
}

/** Whole lines of the range, as many as fit; of a first line that does not fit, as much as does. */
export function selectLines(
  bytes: Buffer,
  range: LineRange | undefined,
  maxBytes: number,
): Omit<FetchedContext, "path"> {
  const totalLines = countLines(bytes);
  const first = Math.max(1, range?.start ?? 1);
  const last = Math.min(totalLines, range?.end ?? totalLines);
  const start = offsetOfLine(bytes, first);
  const end = last < first ? start : offsetOfLine(bytes, last + 1);
  let stop = end;
  if (end - start > maxBytes) {
    const feed = maxBytes > 0 ? bytes.lastIndexOf(10, start + maxBytes - 1) : -1;
    stop = feed >= start ? feed + 1 : characterBoundary(bytes, start + maxBytes);
  }
  return {
    // What is no UTF-8 is replaced, so that the text can always be sent as JSON.
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, stop)),
    firstLine: first,
    totalLines,
    truncated: stop < end,
  };
}

function offsetOfLine(bytes: Buffer, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const feed = bytes.indexOf(10, at);
    if (feed < 0) return bytes.length;
    at = feed + 1;
  }
  return at;
}

/** Steps back out of the middle of a UTF-8 sequence. */
function characterBoundary(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary > at - 4 && ((bytes[boundary] ?? 0) & 0xc0) === 0x80) boundary--;
  return boundary;
}
