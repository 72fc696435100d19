// Diffs a change by reading both revisions of its files and comparing them here, so that one code path numbers all lines.
import type { Change, ChangedFile } from "../../core/change.ts";
import type { DiffFile } from "../../core/diff.ts";
import type { ChangeDiff } from "../../ports/vcs.ts";
import type { Processes } from "../../process/spawn.ts";
import { looksBinary } from "../git/blobs.ts";
import { type Budget, endFault } from "../git/run-git.ts";
import { diffTexts, type TextPair } from "../text-diff.ts";
import { type Contents, decodeText, inParallel, WIDTH, withContents } from "./contents.ts";
import type { DepotRoot } from "./depot-paths.ts";
import type { P4 } from "./run-p4.ts";
import { type Located, locate } from "./sides.ts";

interface DiffLimits {
  readonly maxBytes: number;
  readonly maxDiffedFileBytes: number;
  readonly maxContentBytes: number;
}

/** A file to compare; a file whose content is no text; or null for what is left out. */
type Read = { readonly pair: TextPair } | { readonly opaque: DiffFile } | null;

export async function readChangeDiff(
  p4: P4,
  root: DepotRoot,
  processes: Processes,
  change: Change,
  files: readonly ChangedFile[],
  budget: Budget,
  limits: DiffLimits,
): Promise<ChangeDiff> {
  const old = await locate(p4, root, change, "old", files, budget);
  const fresh = await locate(p4, root, change, "new", files, budget);
  return withContents(p4, budget, async (contents) => {
    let room = limits.maxContentBytes;
    const places = files.map((file, index) => ({ file, old: old[index] ?? null, fresh: fresh[index] ?? null }));
    const read = await inParallel(places, WIDTH, async (place): Promise<Read> => {
      if (place.file.isBinary) return { opaque: { ...entryOf(place.file, place), isBinary: true } };
      if (room <= 0) return null;
      const pair = await readPair(contents, place, limits.maxDiffedFileBytes);
      if (pair !== null && "pair" in pair) room -= (pair.pair.old?.length ?? 0) + (pair.pair.new?.length ?? 0);
      return pair;
    });

    const pairs = read.flatMap((one) => (one !== null && "pair" in one ? [one.pair] : []));
    const result = await diffTexts(
      pairs,
      { processes, directory: contents.folder, path: p4.path },
      { ...budget, maxBytes: limits.maxBytes },
    );
    if (result.outcome === "failed") throw endFault(result.result, p4.subject);
    const left = new Set(result.omitted.map((position) => pairs[position]));
    let compared = 0;
    const shown: DiffFile[] = [];
    const omitted: string[] = [];
    for (const [index, one] of read.entries()) {
      if (one !== null && "opaque" in one) shown.push(one.opaque);
      else if (one === null || left.has(one.pair)) omitted.push(files[index]?.path ?? "");
      else shown.push(...result.diff.files.slice(compared, ++compared));
    }
    const { bytes } = result.diff;
    return { diff: { bytes, files: shown }, bytes: bytes.length, truncated: omitted.length > 0, omitted };
  });
}

interface Place {
  readonly file: ChangedFile;
  readonly old: Located | null;
  readonly fresh: Located | null;
}

async function readPair(contents: Contents, place: Place, maxBytes: number): Promise<Read> {
  const { file } = place;
  const [old, fresh] = [await readSide(contents, place.old, maxBytes), await readSide(contents, place.fresh, maxBytes)];
  // A previous revision that was removed from the history leaves an addition; of a head that is gone nothing can be said.
  if (old === "too_large" || fresh === "too_large" || old === "hidden" || fresh === "hidden") return null;
  if (fresh === null && file.kind !== "delete") return null;
  if (old === null && fresh === null) return null;
  const entry = entryOf(file, { old: old === null ? null : place.old, fresh: fresh === null ? null : place.fresh });
  const [oldText, freshText] = [old && decodeText(old), fresh && decodeText(fresh)];
  if ((oldText !== null && looksBinary(oldText)) || (freshText !== null && looksBinary(freshText))) {
    return { opaque: { ...entry, isBinary: true } };
  }
  return { pair: { file: entry, old: oldText, new: freshText } };
}

async function readSide(
  contents: Contents,
  place: Located | null,
  maxBytes: number,
): Promise<Buffer | null | "too_large" | "hidden"> {
  if (place === null) return null;
  if ((place.size ?? 0) > maxBytes) return "too_large";
  const content = await contents.read(place.name, maxBytes);
  return content === "missing" ? null : content === "forbidden" || content === "unreadable" ? "hidden" : content;
}

/** The listing's names and kind, corrected by what is really there to compare. */
function entryOf(file: ChangedFile, { old, fresh }: Pick<Place, "old" | "fresh">): Omit<DiffFile, "isBinary"> {
  const kind = old === null ? "add" : fresh === null ? "delete" : KINDS[file.kind];
  return {
    oldPath: old === null ? null : (file.oldRawPath ?? file.rawPath),
    newPath: fresh === null ? null : file.rawPath,
    kind,
    ...(file.oldMode !== undefined && old !== null && { oldMode: file.oldMode }),
    ...(file.newMode !== undefined && fresh !== null && { newMode: file.newMode }),
    propertiesOnly: false,
    hunks: [],
  };
}

const KINDS = {
  add: "add",
  modify: "modify",
  delete: "delete",
  rename: "rename",
  copy: "copy",
  type: "modify",
  mode: "modify",
} as const;
