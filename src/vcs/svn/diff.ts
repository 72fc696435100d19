// Reads the patch of a change: both contents of every file from the server, compared by us.
import type { Change, ChangedFile } from "../../core/change.ts";
import type { DiffFile } from "../../core/diff.ts";
import type { ChangeDiff } from "../../ports/vcs.ts";
import { looksBinary } from "../git/blobs.ts";
import type { Budget } from "../git/run-git.ts";
import { diffTexts, type TextPair } from "../text-diff.ts";
import { eachSome } from "./concurrency.ts";
import { type Contents, withoutLinkPrefix } from "./contents.ts";
import { damaged } from "./faults.ts";
import { endsOf } from "./list-changes.ts";
import { endFault, type Svn } from "./run-svn.ts";

export interface DiffLimits {
  readonly maxBytes: number;
  readonly maxDiffedFileBytes: number;
  readonly maxComparedBytes: number;
}

interface Sides {
  readonly file: ChangedFile;
  readonly old: Buffer | null;
  readonly new: Buffer | null;
}

export async function readChangeDiff(
  svn: Svn,
  contents: Contents,
  processes: Parameters<typeof diffTexts>[1]["processes"],
  change: Change,
  files: readonly ChangedFile[],
  limits: DiffLimits,
  budget: Budget,
): Promise<ChangeDiff> {
  const ends = endsOf(change);
  /** Entries without hunks, and the positions of text in `pairs`, in the order of the files. */
  const entries: (DiffFile | number)[] = [];
  const names: string[] = [];
  const omitted = new Set<string>();
  let total = 0;

  async function side(path: string, revision: number, mode: string | undefined): Promise<Buffer | "left_out"> {
    const content = await contents.read(path, revision, limits.maxDiffedFileBytes, budget);
    if (content.outcome === "too_large") return "left_out";
    // What was listed is there; anything else would make a file look added or deleted that is not.
    if (content.outcome !== "read") throw damaged(svn.subject, `svn cat: a listed file is ${content.outcome}`);
    return withoutLinkPrefix(content.bytes, mode);
  }

  async function sides(file: ChangedFile): Promise<Sides | ChangedFile> {
    if (file.isBinary || file.kind === "mode" || total > limits.maxComparedBytes) return file;
    const oldPath = text(file.oldRawPath ?? file.rawPath);
    const [old, fresh] = await Promise.all([
      file.kind === "add" ? null : side(oldPath, ends.base, file.oldMode),
      file.kind === "delete" ? null : side(text(file.rawPath), ends.head, file.newMode),
    ]);
    if (old === "left_out" || fresh === "left_out") return file;
    total += (old?.length ?? 0) + (fresh?.length ?? 0);
    return { file, old, new: fresh };
  }

  async function readAhead(): Promise<void> {
    const compared = files.filter(({ isBinary, kind }) => !isBinary && kind !== "mode");
    const old = compared.filter(({ kind }) => kind !== "add").map((file) => text(file.oldRawPath ?? file.rawPath));
    const fresh = compared.filter(({ kind }) => kind !== "delete").map((file) => text(file.rawPath));
    await contents.readAhead(old, ends.base, limits.maxDiffedFileBytes, budget);
    await contents.readAhead(fresh, ends.head, limits.maxDiffedFileBytes, budget);
  }

  async function* pairs(): AsyncGenerator<TextPair> {
    await readAhead();
    for await (const found of eachSome(files, sides)) {
      if (!("file" in found)) {
        if (found.isBinary || found.kind === "mode") entries.push(opaque(found));
        else omitted.add(found.path);
        continue;
      }
      const { file, old, new: fresh } = found;
      if ((old !== null && looksBinary(old)) || (fresh !== null && looksBinary(fresh))) {
        // Text on the listed side and something else on the other: no lines to compare.
        omitted.add(file.path);
        continue;
      }
      for (const pair of pairsOf(file, old, fresh)) {
        entries.push(names.length);
        names.push(file.path);
        yield pair;
      }
    }
  }

  const { directory, path } = svn.environment;
  const result = await diffTexts(
    pairs(),
    { processes, directory, path },
    {
      remainingMs: budget.remainingMs,
      maxBytes: limits.maxBytes,
      ...(budget.signal && { signal: budget.signal }),
    },
  );
  if (result.outcome === "failed") {
    throw result.result.reason === "exited"
      ? damaged(svn.subject, `git diff --no-index: ${result.result.stderr.toString()}`)
      : endFault(result.result, svn.subject);
  }
  for (const position of result.omitted) omitted.add(names[position] as string);
  const cut = new Set(result.omitted);
  let next = 0;
  const shown = entries.flatMap((entry): readonly DiffFile[] => {
    if (typeof entry !== "number") return [entry];
    const file = cut.has(entry) ? undefined : result.diff.files[next++];
    return file === undefined || omitted.has(names[entry] as string) ? [] : [file];
  });
  return {
    diff: { bytes: result.diff.bytes, files: shown },
    bytes: result.diff.bytes.length,
    truncated: omitted.size > 0,
    omitted: [...omitted],
  };
}

/** One comparison, but two for a change of type: the deletion and the addition. */
function pairsOf(file: ChangedFile, old: Buffer | null, fresh: Buffer | null): readonly TextPair[] {
  const [oldPath, newPath] = [file.oldRawPath ?? file.rawPath, file.rawPath];
  const modes = {
    ...(old !== null && file.oldMode !== undefined && { oldMode: file.oldMode }),
    ...(fresh !== null && file.newMode !== undefined && { newMode: file.newMode }),
  };
  const gone: TextPair = { file: { oldPath, newPath: null, kind: "delete", ...modes }, old, new: null };
  const added: TextPair = { file: { oldPath: null, newPath, kind: "add", ...modes }, old: null, new: fresh };
  switch (file.kind) {
    case "type":
      return [gone, added];
    case "delete":
      return [gone];
    case "add":
      return [added];
    case "rename":
    case "copy":
      return [{ file: { oldPath, newPath, kind: file.kind, ...modes }, old, new: fresh }];
    default:
      return [{ file: { oldPath, newPath, kind: "modify", ...modes }, old, new: fresh }];
  }
}

/** The entry of a file that has no lines to show: a binary, or one whose properties alone changed. */
function opaque(file: ChangedFile): DiffFile {
  const kind = file.kind === "type" || file.kind === "mode" ? "modify" : file.kind;
  return {
    oldPath: kind === "add" ? null : (file.oldRawPath ?? file.rawPath),
    newPath: kind === "delete" ? null : file.rawPath,
    kind,
    ...(file.oldMode !== undefined && { oldMode: file.oldMode }),
    ...(file.newMode !== undefined && { newMode: file.newMode }),
    isBinary: file.kind !== "mode",
    propertiesOnly: file.kind === "mode",
    hunks: [],
  };
}

/** Subversion's paths are always UTF-8. */
function text(rawPath: string): string {
  return Buffer.from(rawPath, "latin1").toString("utf8");
}
