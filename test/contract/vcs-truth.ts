// What the VCS contract knows of a repository without asking any VCS: the files after every change that it made itself.
import { expect } from "vitest";
import type { ChangedFile } from "../../src/core/change.ts";
import { type Diff, type DiffFile, hunkLines } from "../../src/core/diff.ts";

/** One change of the default branch. */
export interface Step {
  readonly write?: Readonly<Record<string, string | Buffer>>;
  readonly remove?: readonly string[];
  /** Moves, each with the content at the new place. */
  readonly move?: readonly { readonly from: string; readonly to: string; readonly content: string }[];
}

export type Tree = ReadonlyMap<string, Buffer>;

export function after(tree: Tree, step: Step): Tree {
  const next = new Map(tree);
  for (const path of step.remove ?? []) next.delete(path);
  for (const { from, to, content } of step.move ?? []) {
    next.delete(from);
    next.set(to, Buffer.from(content));
  }
  for (const [path, content] of Object.entries(step.write ?? {})) next.set(path, Buffer.from(content));
  return next;
}

/** What the listing must say, as `kind path` or `rename old > new`, sorted. */
export function expectedList(before: Tree, step: Step): readonly string[] {
  const list = [
    ...(step.remove ?? []).map((path) => `delete ${path}`),
    ...(step.move ?? []).map(({ from, to }) => `rename ${from} > ${to}`),
    ...Object.keys(step.write ?? {}).map((path) => `${before.has(path) ? "modify" : "add"} ${path}`),
  ];
  return list.sort();
}

export function shownList(files: readonly ChangedFile[]): readonly string[] {
  return files
    .map(({ kind, path, oldPath }) => `${kind} ${oldPath === undefined ? "" : `${oldPath} > `}${path}`)
    .sort();
}

/** The new side of a file, made from its old side by the diff; every context and deleted line is compared on the way. */
export function applied(diff: Diff, file: DiffFile, old: Buffer): Buffer {
  const lines = old.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of file.hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    out.push(...lines.slice(at, start));
    at = start;
    for (const line of hunkLines(diff, hunk)) {
      const text = Buffer.from(diff.bytes).toString("latin1", line.start, line.breakEnd);
      if (line.kind !== "added") expect(lines[at++]).toBe(text);
      if (line.kind !== "deleted") out.push(text);
      // Every anchor is the line of the new side that it claims to be.
      if (line.newLine !== undefined) expect(line.newLine).toBe(out.length);
    }
  }
  out.push(...lines.slice(at));
  return Buffer.from(out.join(""), "latin1");
}
