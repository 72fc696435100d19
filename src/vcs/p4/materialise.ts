// Writes the changed files of one side into a fresh directory: their content alone, links as text, nothing followed.
import type { Change, ChangedFile } from "../../core/change.ts";
import type { Materialised, MaterialisedFile, MaterialiseOptions } from "../../ports/vcs.ts";
import { isSafePath, writeFresh } from "../fresh-file.ts";
import type { Budget } from "../git/run-git.ts";
import { decodeText, inParallel, WIDTH, withContents } from "./contents.ts";
import type { DepotRoot } from "./depot-paths.ts";
import type { P4 } from "./run-p4.ts";
import { locate } from "./sides.ts";

type SkipReason = Materialised["skipped"][number]["reason"];
type Options = Pick<MaterialiseOptions, "side" | "directory" | "files" | "maxFileBytes" | "maxTotalBytes">;

/** UTF-16 text is written as UTF-8, the form in which the diff has it; everything else byte by byte. */
export async function materialise(
  p4: P4,
  root: DepotRoot,
  change: Change,
  options: Options,
  budget: Budget,
): Promise<Materialised> {
  const { side, directory, maxFileBytes, maxTotalBytes } = options;
  const files = options.files.filter(({ kind }) => kind !== (side === "new" ? "delete" : "add"));
  const written: MaterialisedFile[] = [];
  const skipped: { path: string; reason: SkipReason }[] = [];
  if (files.length === 0) return { written, skipped };
  const places = await locate(p4, root, change, side, files, budget);
  let total = 0;
  /** Why content of that size cannot be written any more. */
  const refusal = (size: number): SkipReason | null =>
    size > maxFileBytes ? "too_large" : size > maxTotalBytes - total ? "budget" : null;

  await withContents(p4, budget, async (contents) => {
    /** Asks the server for nothing that is refused by what is known already. */
    async function read(index: number): Promise<Buffer | SkipReason> {
      const place = places[index] ?? null;
      if (!isSafePath(pathOn(side, files[index]))) return "unsafe_path";
      if (place === null) return "missing";
      const refused = place.size === undefined ? null : refusal(place.size);
      if (refused !== null) return refused;
      const content = await contents.read(place.name, maxFileBytes);
      if (typeof content === "string") return content === "too_large" ? content : "missing";
      return files[index]?.isBinary ? content : decodeText(content);
    }

    async function write(index: number, content: Buffer | SkipReason): Promise<void> {
      const path = pathOn(side, files[index]);
      const outcome = typeof content === "string" ? content : (refusal(content.length) ?? content);
      const reason = typeof outcome === "string" ? outcome : await writeFresh(directory, path, outcome);
      if (reason !== "written") {
        skipped.push({ path, reason });
        return;
      }
      total += content.length;
      written.push({ path, bytes: content.length });
    }

    // A few are read at a time and written in order, so that the budget always goes to the first ones.
    for (let at = 0; at < files.length; at += WIDTH) {
      const indices = files.slice(at, at + WIDTH).map((_, offset) => at + offset);
      const contentsRead = await inParallel(indices, WIDTH, read);
      for (const [offset, index] of indices.entries()) await write(index, contentsRead[offset] ?? "missing");
    }
  });
  return { written, skipped };
}

function pathOn(side: "new" | "old", file: ChangedFile | undefined): string {
  return (side === "old" ? file?.oldPath : undefined) ?? file?.path ?? "";
}
