// Tells which change and whose last touched the lines of a file, by `annotate`; its source text is dropped.
import { type Attribution, type AttributionEntry, type ContextRequest, lastLine } from "../../ports/vcs.ts";
import { badRange } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { absence } from "./context.ts";
import { type DepotRoot, readDepotPath } from "./depot-paths.ts";
import type { P4Record } from "./records.ts";
import { readPoint } from "./revision-syntax.ts";
import type { P4 } from "./run-p4.ts";

/** The answer holds the whole file, line by line. */
const MAX_ANNOTATE_BYTES = 64 << 20;

export async function fetchAttribution(
  p4: P4,
  root: DepotRoot,
  request: ContextRequest,
  budget: Budget,
  maxLines: number,
): Promise<Attribution> {
  const { lines } = request;
  if (lines && !(isLine(lines.start) && isLine(lines.end) && lines.end >= lines.start)) {
    throw badRange(p4.subject, lines);
  }
  const path = readDepotPath(request.path, root, p4.subject);
  const point = readPoint(request.revision, p4.subject);
  const nothing: Attribution = { path, status: "not_found", entries: [] };
  // The lines of a shelved file were never submitted, so nobody can be named for them.
  if (point.kind === "shelf") return nothing;

  const suffix = `@${point.number}`;
  // -I follows integrations to the change that wrote the line first.
  const { records, troubles } = await p4.records(["annotate", "-c", "-u", "-I", root.depotFile(path) + suffix], {
    budget,
    maxBytes: MAX_ANNOTATE_BYTES,
    expected: ["missing", "forbidden", "unreadable", "translation", "remark"],
  });
  const annotated = records.filter((record) => record["lower"] !== undefined);
  if (annotated.length === 0) {
    const why = troubles.includes("missing") ? await absence(p4, root, path, suffix, budget) : null;
    if (why !== null && "reason" in why && why.reason === "bad_path") throw why;
    return nothing;
  }
  const start = lines?.start ?? 1;
  if (start > annotated.length) return nothing;
  const wanted = lines === undefined || lines.end === lastLine ? annotated.length : lines.end;
  const end = Math.min(wanted, annotated.length, start + maxLines - 1);
  const entries = annotated.slice(start - 1, end).map((record, index) => entryOf(record, start + index));
  const isPartial = end < wanted || troubles.length > 0 || entries.some(({ author }) => author === UNKNOWN);
  return { path, status: isPartial ? "partial" : "ok", entries };
}

const UNKNOWN = "unknown";

function entryOf(record: P4Record, line: number): AttributionEntry {
  const { lower = "", user, time = "" } = record;
  return {
    line,
    revision: lower,
    author: user || UNKNOWN,
    ...(/^\d+$/.test(time) && { time: Number(time) * 1000 }),
  };
}

function isLine(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
