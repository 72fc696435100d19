// Splits the difference of two versions into changes: the reviewable files of one directory that differ, at most ten together.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { maxFileBytes, type ReviewedFile } from "../../src/agents/checks/change-under-review.ts";
import type { LineRange } from "../../src/agents/checks/introduced.ts";
import { contentExclusion, exclusion, sourceKind } from "../../src/agents/checks/source-kinds.ts";

const run = promisify(execFile);

export interface CleanChange {
  readonly package: string;
  readonly directory: string;
  readonly language: string;
  readonly files: readonly ReviewedFile[];
}

const languages: Readonly<Record<string, string>> = {
  javascript: "JavaScript",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
  c: "C++",
  cpp: "C++",
  document: "documentation",
};

/** The files that differ, as the agent would see them. */
export async function changedFiles(before: string, after: string): Promise<readonly ReviewedFile[]> {
  const files: ReviewedFile[] = [];
  for (const [path, added] of addedRanges(await gitDiff(before, after), after)) {
    const file = added.length === 0 ? null : await readChanged(before, after, path, added);
    if (file !== null) files.push(file);
  }
  return files;
}

/** Exit 1 of `git diff --no-index` says that there are differences. */
async function gitDiff(before: string, after: string): Promise<string> {
  const args = [
    "-c",
    "core.quotePath=false",
    "diff",
    "--no-index",
    "--no-renames",
    "--no-color",
    "--no-prefix",
    "-U0",
    before,
    after,
  ];
  try {
    return (await run("git", args, { maxBuffer: 1024 * 1024 * 1024 })).stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === 1 && "stdout" in error) return String(error.stdout);
    throw error;
  }
}

/** Added lines of every file, by its path below `after`. Bodies are skipped by their count: an added `++ x` looks like a header. */
function addedRanges(diff: string, after: string): ReadonlyMap<string, readonly LineRange[]> {
  const ranges = new Map<string, LineRange[]>();
  let current: LineRange[] = [];
  let left = 0;
  for (const line of diff.split("\n")) {
    if (left > 0) {
      if (!line.startsWith("\\")) left -= 1;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      const [removed, start, count] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
      left = removed + count;
      if (count > 0) current.push({ start, end: start + count - 1 });
      continue;
    }
    if (!line.startsWith("+++ ")) continue;
    const path = `/${line.slice(4).replace(/\t$/, "").replace(/^\//, "")}`;
    current = [];
    if (path.startsWith(`${after}/`)) ranges.set(path.slice(after.length + 1), current);
  }
  return ranges;
}

async function textOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || bytes.length > maxFileBytes || bytes.includes(0) ? null : bytes.toString("utf8");
}

async function readChanged(
  before: string,
  after: string,
  path: string,
  added: readonly LineRange[],
): Promise<ReviewedFile | null> {
  if (exclusion(path) !== null) return null;
  const text = await textOf(join(after, path));
  if (text === null || contentExclusion(text) !== null) return null;
  const baseText = await textOf(join(before, path));
  return {
    path,
    text,
    lines: text.split("\n"),
    basePath: baseText === null ? null : path,
    baseText,
    baseLines: baseText?.split("\n") ?? null,
    added,
  };
}

export function groupChanges(name: string, files: readonly ReviewedFile[]): readonly CleanChange[] {
  const groups = new Map<string, ReviewedFile[]>();
  for (const file of files) {
    const language = languages[sourceKind(file.path)];
    if (language === undefined) continue;
    const key = `${language}\0${dirname(file.path)}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups].flatMap(([key, members]) => {
    const [language = "", directory = ""] = key.split("\0");
    const changes: CleanChange[] = [];
    for (let at = 0; at < members.length; at += 10)
      changes.push({ package: name, directory, language, files: members.slice(at, at + 10) });
    return changes;
  });
}
