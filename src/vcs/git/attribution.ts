// Tells who last changed the lines of a file; commits and people, never source text.
import { AppError } from "../../core/errors.ts";
import { type Attribution, type AttributionEntry, type ContextRequest, lastLine } from "../../ports/vcs.ts";
import { looksBinary } from "./blobs.ts";
import { countLines, readBlob } from "./context.ts";
import { badRange } from "./faults.ts";
import type { Git, GitRun } from "./run-git.ts";

/** @param shallow commits beyond which the history is not known. */
export async function fetchAttribution(
  git: Git,
  run: GitRun,
  request: ContextRequest,
  limits: { readonly maxLines: number; readonly shallow: ReadonlySet<string> },
): Promise<Attribution> {
  const { lines } = request;
  // Patterns and functions are also ranges to git, and it swaps a reversed one; so only whole numbers in order pass.
  if (
    lines &&
    !(
      Number.isSafeInteger(lines.start) &&
      Number.isSafeInteger(lines.end) &&
      lines.start >= 1 &&
      lines.end >= lines.start
    )
  ) {
    throw badRange(git.subject, lines);
  }
  const blob = await readBlob(git, run, request).catch((error: unknown) => {
    if (error instanceof AppError && (error.reason === "path_not_found" || error.reason === "not_text")) return null;
    throw error;
  });
  const total = blob === null ? 0 : countLines(blob.bytes);
  const start = lines?.start ?? 1;
  if (blob === null || looksBinary(blob.bytes) || start > total) {
    return { path: blob?.path ?? request.path, status: "not_found", entries: [] };
  }
  const wantedEnd = lines === undefined || lines.end === lastLine ? total : lines.end;
  const end = Math.min(wantedEnd, total, start + limits.maxLines - 1);
  const output = await git.output(
    // Without --root a first commit would count as a boundary like a cut one.
    [
      "blame",
      "--incremental",
      "--root",
      "--encoding=UTF-8",
      "-L",
      `${start},${end}`,
      request.revision,
      "--",
      blob.path,
    ],
    run,
  );
  const entries = readIncremental(output.toString("utf8"));
  const isPartial = end < wantedEnd || entries.some((entry) => limits.shallow.has(entry.revision));
  return { path: blob.path, status: isPartial ? "partial" : "ok", entries };
}

interface Commit {
  author: string;
  email?: string;
  time?: number;
  summary?: string;
}

/** Reads `blame --incremental`: groups of lines, with a commit's details at its first group only. */
function readIncremental(text: string): readonly AttributionEntry[] {
  const commits = new Map<string, Commit>();
  const groups: { revision: string; line: number; count: number }[] = [];
  let current: Commit = { author: "" };
  for (const line of text.split("\n")) {
    const group = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/.exec(line);
    if (group) {
      const revision = group[1] as string;
      current = commits.get(revision) ?? { author: "" };
      commits.set(revision, current);
      groups.push({ revision, line: Number(group[2]), count: Number(group[3]) });
      continue;
    }
    const space = line.indexOf(" ");
    const value = line.slice(space + 1);
    switch (line.slice(0, space)) {
      case "author":
        current.author = value;
        break;
      case "author-mail":
        current.email = value.replace(/^<|>$/g, "");
        break;
      case "author-time":
        current.time = Number(value) * 1000;
        break;
      case "summary":
        current.summary = value;
        break;
    }
  }
  return groups
    .flatMap(({ revision, line, count }) =>
      Array.from({ length: count }, (_, offset) => entryOf(revision, line + offset, commits.get(revision))),
    )
    .sort((a, b) => a.line - b.line);
}

function entryOf(revision: string, line: number, commit: Commit | undefined): AttributionEntry {
  return {
    line,
    revision,
    author: commit?.author || commit?.email || "unknown",
    ...(commit?.email && { authorEmail: commit.email }),
    ...(commit?.time !== undefined && { time: commit.time }),
    ...(commit?.summary && { summary: commit.summary }),
  };
}
