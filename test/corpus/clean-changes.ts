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
  const names = await listChanges(before, after);
  const files = await Promise.all(names.map((path) => readChanged(before, after, path)));
  return files.filter((file) => file !== null);
}

/** Exit 1 of `git diff --no-index` says that there are differences. */
async function gitDiff(args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await run("git", ["-c", "core.quotePath=false", "diff", "--no-index", ...args], {
      cwd,
      maxBuffer: 1024 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === 1 && "stdout" in error) return String(error.stdout);
    throw error;
  }
}

async function listChanges(before: string, after: string): Promise<readonly string[]> {
  const out = await gitDiff(["--no-renames", "--name-status", "-z", before, after], "/");
  const parts = out.split("\0");
  const paths: string[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const path = parts[index + 1] ?? "";
    if (parts[index] !== "D")
      paths.push(path.startsWith(`${after}/`) ? path.slice(after.length + 1) : path.slice(before.length + 1));
  }
  return paths;
}

async function textOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || bytes.length > maxFileBytes || bytes.includes(0) ? null : bytes.toString("utf8");
}

async function readChanged(before: string, after: string, path: string): Promise<ReviewedFile | null> {
  if (exclusion(path) !== null) return null;
  const text = await textOf(join(after, path));
  if (text === null || contentExclusion(text) !== null) return null;
  const baseText = await textOf(join(before, path));
  const lines = text.split("\n");
  const added: LineRange[] =
    baseText === null ? [{ start: 1, end: lines.length }] : await addedRanges(join(before, path), join(after, path));
  if (added.length === 0) return null;
  return {
    path,
    text,
    lines,
    basePath: baseText === null ? null : path,
    baseText,
    baseLines: baseText?.split("\n") ?? null,
    added,
  };
}

async function addedRanges(before: string, after: string): Promise<LineRange[]> {
  const diff = await gitDiff(["-U0", "--no-color", before, after], dirname(after));
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap((match) => {
    const start = Number(match[1]);
    const count = Number(match[2] ?? 1);
    return count === 0 ? [] : [{ start, end: start + count - 1 }];
  });
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
