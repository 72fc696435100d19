// Fetches lines of a file, and who last changed them, at exactly the reviewed revision.
import {
  type Attribution,
  type AttributionEntry,
  type ContextRequest,
  type FetchedContext,
  lastLine,
} from "../../ports/vcs.ts";
import { looksBinary } from "../git/blobs.ts";
import { countLines, selectLines } from "../git/context.ts";
import { badPath, badRange, missingPath, notText, tooLarge, unknownRevision } from "../git/faults.ts";
import { readPath } from "../git/repository-path.ts";
import type { Budget } from "../git/run-git.ts";
import { type Contents, withoutLinkPrefix } from "./contents.ts";
import { damaged } from "./faults.ts";
import { readFacts } from "./properties.ts";
import { requireNumber } from "./revision-syntax.ts";
import type { Svn } from "./run-svn.ts";
import { target } from "./source.ts";
import { childOf, eachElement } from "./xml.ts";

/** Lines can be wanted from a file far larger than an answer may be, but not from any. */
const MAX_FILE_BYTES = 64 << 20;

export async function fetchContext(
  svn: Svn,
  contents: Contents,
  url: string,
  request: ContextRequest,
  maxBytes: number,
  budget: Budget,
): Promise<FetchedContext> {
  const { subject } = svn;
  const path = readPath(request.path, subject);
  const revision = requireNumber(request.revision, subject.repository);
  const content = await contents.read(path, revision, MAX_FILE_BYTES, budget);
  switch (content.outcome) {
    case "directory":
      throw badPath(subject, path, "it is a directory");
    case "missing":
      throw missingPath(subject, path);
    case "no_revision":
      throw unknownRevision({ ...subject, rev: request.revision });
    case "too_large":
      throw tooLarge(subject);
    case "read": {
      if (looksBinary(content.bytes)) throw notText(subject, path, "a binary file");
      const bytes = await linkTarget(path, revision, content.bytes);
      return { path, ...selectLines(bytes, request.lines, maxBytes) };
    }
  }

  /** Text that begins so is nearly always text; only the property tells. */
  async function linkTarget(name: string, at: number, bytes: Buffer): Promise<Buffer> {
    if (withoutLinkPrefix(bytes, "120000") === bytes) return bytes;
    const facts = await readFacts(svn, url, [name], at, budget);
    return withoutLinkPrefix(bytes, facts.get(name)?.mode);
  }
}

/** Never reads `blame`'s text: its XML holds revisions and people alone. */
export async function fetchAttribution(
  svn: Svn,
  contents: Contents,
  url: string,
  request: ContextRequest,
  maxLines: number,
  budget: Budget,
): Promise<Attribution> {
  const { subject } = svn;
  const { lines } = request;
  const isRange = (from: number, to: number): boolean =>
    Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 1 && to >= from;
  if (lines && !isRange(lines.start, lines.end)) throw badRange(subject, lines);
  const path = readPath(request.path, subject);
  const revision = requireNumber(request.revision, subject.repository);
  const content = await contents.read(path, revision, MAX_FILE_BYTES, budget);
  if (content.outcome === "directory") throw badPath(subject, path, "it is a directory");
  if (content.outcome === "no_revision") throw unknownRevision({ ...subject, rev: request.revision });
  if (content.outcome === "too_large") throw tooLarge(subject);
  const total = content.outcome === "read" && !looksBinary(content.bytes) ? countLines(content.bytes) : 0;
  const start = lines?.start ?? 1;
  if (start > total) return { path, status: "not_found", entries: [] };
  const wantedEnd = lines === undefined || lines.end === lastLine ? total : lines.end;
  const end = Math.min(wantedEnd, total, start + maxLines - 1);

  const result = await svn.attempt("blame", ["--xml"], [target(url, path, revision)], { budget });
  if (result.outcome === "cut") throw tooLarge(subject);
  if (result.outcome !== "ok") throw damaged(subject, `svn blame: ${result.outcome}`);
  const entries: AttributionEntry[] = [];
  eachElement(result.stdout, "entry", subject, (element) => {
    const line = Number(element.attributes["line-number"]);
    const commit = childOf(element, "commit");
    // The server hides the revision: the line stays without an answer.
    if (line < start || line > end || commit === undefined) return;
    const time = Date.parse(childOf(commit, "date")?.text ?? "");
    entries.push({
      line,
      revision: commit.attributes["revision"] ?? "",
      author: childOf(commit, "author")?.text || "unknown",
      ...(Number.isFinite(time) && { time }),
    });
  });
  // svn calls a file binary by its properties, and then says nothing of its lines.
  if (entries.length === 0) return { path, status: "not_found", entries };
  const isWhole = end === wantedEnd && entries.length === end - start + 1;
  return { path, status: isWhole ? "ok" : "partial", entries };
}
