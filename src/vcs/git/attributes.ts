// Asks git which changed files the repository's own attributes at the head call generated or vendored.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Change } from "../../core/change.ts";
import type { Objects } from "./objects.ts";
import type { RawEntry } from "./raw-entries.ts";
import type { Git, GitRun } from "./run-git.ts";
import { createTrees } from "./trees.ts";

const ATTRIBUTES = ["linguist-generated", "linguist-vendored"];
/** git ignores attribute files over 100 MB; ours need not even be near. */
const MAX_ATTRIBUTE_FILE_BYTES = 1 << 20;

/**
 * git 2.39 takes attributes from a work tree or an index, so an index with nothing but the relevant attribute files is made.
 * Costs nothing where no attribute file speaks of linguist.
 * @returns new-side paths, latin1.
 */
export async function readGenerated(
  git: Git,
  run: GitRun,
  objects: Objects,
  change: Change,
  entries: readonly RawEntry[],
  temporary: string,
): Promise<ReadonlySet<string>> {
  const trees = createTrees(objects, change.head.canonical, git.subject);
  const index: string[] = [];
  let isMarked = false;
  for (const folder of foldersOf(entries)) {
    const path = folder === "" ? ".gitattributes" : `${folder}/.gitattributes`;
    const entry = await trees.find(path);
    if (entry === null || !entry.mode.startsWith("100")) continue;
    const object = await objects.read(entry.id);
    if (typeof object === "string" || object.bytes.length > MAX_ATTRIBUTE_FILE_BYTES) continue;
    index.push(`${entry.mode} ${entry.id} 0\t${path}\0`);
    isMarked ||= object.bytes.includes("linguist-");
  }
  if (!isMarked) return new Set();

  const folder = await mkdtemp(join(temporary, "index-"));
  try {
    const env = { ...run.env, GIT_INDEX_FILE: join(folder, "index") };
    await git.output(["update-index", "-z", "--index-info"], {
      ...run,
      env,
      stdin: Buffer.from(index.join(""), "latin1"),
    });
    const stdin = Buffer.from(entries.map((entry) => `${entry.newPath}\0`).join(""), "latin1");
    const output = await git.output(["check-attr", "--cached", "--stdin", "-z", ...ATTRIBUTES], { ...run, env, stdin });
    const fields = output.toString("latin1").split("\0");
    const generated = new Set<string>();
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const value = fields[at + 2];
      if (value === "set" || value === "true") generated.add(fields[at] as string);
    }
    return generated;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folders of the files, and all above them: attribute files count from any of them. */
function foldersOf(entries: readonly RawEntry[]): ReadonlySet<string> {
  const folders = new Set<string>([""]);
  for (const entry of entries) {
    const parts = entry.newPath.split("/");
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join("/"));
  }
  return folders;
}
