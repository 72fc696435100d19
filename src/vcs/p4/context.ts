// Fetches lines of a file as of exactly the reviewed change, and of nothing outside of the depot path.
import type { ContextRequest, FetchedContext } from "../../ports/vcs.ts";
import { looksBinary } from "../git/blobs.ts";
import { selectLines } from "../git/context.ts";
import { badPath, missingPath, notText, tooLarge } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { decodeText, withContents } from "./contents.ts";
import { type DepotRoot, looksLikeSyntax, readDepotPath } from "./depot-paths.ts";
import { forbidden } from "./faults.ts";
import { type Point, readPoint } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

/** Lines can be wanted from a file far larger than an answer may be, but not from any. */
const MAX_FILE_BYTES = 64 << 20;

export async function fetchContext(
  p4: P4,
  root: DepotRoot,
  request: ContextRequest,
  budget: Budget,
  maxBytes: number,
): Promise<FetchedContext> {
  const path = readDepotPath(request.path, root, p4.subject);
  const point = readPoint(request.revision, p4.subject);
  const bytes = await readText(p4, root, path, point, budget);
  return { path, ...selectLines(bytes, request.lines, maxBytes) };
}

async function readText(p4: P4, root: DepotRoot, path: string, point: Point, budget: Budget): Promise<Buffer> {
  const depotFile = root.depotFile(path);
  return withContents(p4, budget, async (contents) => {
    if (point.kind === "submitted") {
      const { size } = await readSize(p4, root, path, `@${point.number}`, budget);
      if (size > MAX_FILE_BYTES) throw tooLarge(p4.subject);
    }
    const shelved = point.kind === "shelf" ? `@=${point.number}` : `@${point.number}`;
    let content = await contents.read(depotFile + shelved, MAX_FILE_BYTES);
    if (content === "missing" && point.kind === "shelf") {
      // A shelf holds its own files alone; around them lies the depot as it is.
      await readSize(p4, root, path, "", budget);
      content = await contents.read(depotFile, MAX_FILE_BYTES);
    }
    if (content === "too_large") throw tooLarge(p4.subject);
    if (content === "forbidden") throw forbidden(p4.subject, depotFile);
    if (content === "unreadable") throw notText(p4.subject, path, "a file whose content the server no longer has");
    if (content === "missing") throw missingPath(p4.subject, path);
    const text = decodeText(content);
    if (looksBinary(text)) throw notText(p4.subject, path, "a binary file");
    return text;
  });
}

/** Throws `not_found`, and `bad_request` for a folder, a wildcard or a revision. */
async function readSize(
  p4: P4,
  root: DepotRoot,
  path: string,
  suffix: string,
  budget: Budget,
): Promise<{ readonly size: number }> {
  const { records, troubles } = await p4.records(["sizes", root.depotFile(path) + suffix], {
    budget,
    expected: ["missing", "forbidden"],
  });
  if (troubles.includes("forbidden")) throw forbidden(p4.subject, path);
  if (records.length > 0) return { size: Number(records[0]?.["fileSize"] ?? 0) };
  throw await absence(p4, root, path, suffix, budget);
}

/** Why there is no such file. */
export async function absence(p4: P4, root: DepotRoot, path: string, suffix: string, budget: Budget): Promise<Error> {
  const { records, troubles } = await p4.records(["files", "-e", "-m", "1", `${root.depotFile(path)}/...${suffix}`], {
    budget,
    expected: ["missing", "forbidden"],
    mayBeEmpty: true,
  });
  if (records.length > 0) return badPath(p4.subject, path, "it is a directory");
  if (troubles.includes("forbidden")) return forbidden(p4.subject, path);
  if (looksLikeSyntax(path)) return badPath(p4.subject, path, "wildcards and revisions are not part of a path");
  return missingPath(p4.subject, path);
}
