// change.json: the facts of a change that agents and tool servers read, and the id of the pass that may report now.
import * as z from "zod";
import { codeOf, type FileIdentity, replaceFileSync } from "./atomic-file.ts";
import { readJsonDocument } from "./json-document.ts";

export const changeFileVersion = 1;

/** A change of ten thousand files with a hundred hunks each stays below this. */
const maxChangeFileBytes = 64 * 1024 * 1024;

const lineRange = z.object({ start: z.int().min(1), end: z.int().min(1) });

const revision = z.object({
  revision: z.string(),
  display: z.string(),
  author: z.string(),
  message: z.string(),
  /** ms since the epoch. */
  time: z.number(),
});

const changedFile = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  kind: z.enum(["add", "modify", "delete", "rename", "copy", "type", "mode"]),
  isBinary: z.boolean(),
  isGenerated: z.boolean(),
  isSymlink: z.boolean(),
  isSubmodule: z.boolean(),
  isLfs: z.boolean(),
  /** Commentable lines of the new side: one range for each hunk. */
  hunks: z.array(lineRange),
  /** Added lines among them. */
  added: z.array(lineRange),
});

const changeFile = z.object({
  schemaVersion: z.literal(changeFileVersion),
  /** The current pass; servers of any other may write nothing. */
  runId: z.string(),
  reviewId: z.string(),
  repository: z.object({ alias: z.string(), vcs: z.enum(["git", "p4", "svn"]) }),
  head: revision,
  base: z.union([revision, z.literal("empty")]),
  baseReason: z.string(),
  spec: z.string(),
  files: z.array(changedFile),
  /** Language of texts for people, such as `zh-CN`. */
  locale: z.string(),
  /** Files whose diff was left out because the whole was too large: their lines are not known here. */
  omitted: z.array(z.string()),
  /** The list of files itself was cut. */
  truncated: z.boolean(),
});

export type ChangeFacts = z.output<typeof changeFile>;
export type ChangeFactsFile = ChangeFacts["files"][number];

export type ChangeRead =
  | { readonly kind: "ok"; readonly facts: ChangeFacts; readonly identity: FileIdentity }
  | { readonly kind: "missing" }
  | { readonly kind: "corrupt"; readonly reason: string };

/** Reads and validates change.json; never throws. */
export function readChangeFile(path: string): ChangeRead {
  const read = readJsonDocument(path, maxChangeFileBytes, changeFile);
  return read.kind === "ok" ? { kind: "ok", facts: read.value, identity: read.identity } : read;
}

/** Writes change.json whole, atomically. Throws the system's error when it cannot be written. */
export function writeChangeFile(path: string, facts: ChangeFacts): void {
  replaceFileSync(path, `${path}.tmp`, [Buffer.from(`${JSON.stringify(changeFile.parse(facts), null, 1)}\n`)]);
}

/**
 * Names the pass that may report from now on. Throws the system's error, or an Error that says why change.json is unusable.
 */
export function setCurrentRun(path: string, runId: string): void {
  const read = readChangeFile(path);
  if (read.kind !== "ok") throw new Error(read.kind === "missing" ? `${path} is missing.` : `${path}: ${read.reason}.`);
  try {
    writeChangeFile(path, { ...read.facts, runId });
  } catch (fault) {
    throw new Error(`${path} cannot be written (${codeOf(fault)}).`, { cause: fault });
  }
}
