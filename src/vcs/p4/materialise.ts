// Writes the changed files of one side into a fresh directory: their content alone, links as text, nothing followed.
import type { Change } from "../../core/change.ts";
import type { Materialised, MaterialisedFile, MaterialiseOptions } from "../../ports/vcs.ts";
import { isSafePath, writeFresh } from "../fresh-file.ts";
import type { Budget } from "../git/run-git.ts";
import { decodeText, withContents } from "./contents.ts";
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
  await withContents(p4, budget, async (contents) => {
    for (const [index, file] of files.entries()) {
      const path = side === "new" ? file.path : (file.oldPath ?? file.path);
      const skip = (reason: SkipReason): void => void skipped.push({ path, reason });
      const place = places[index] ?? null;
      if (!isSafePath(path)) {
        skip("unsafe_path");
        continue;
      }
      if (place === null) {
        skip("missing");
        continue;
      }
      const limit = Math.min(maxFileBytes, maxTotalBytes - total);
      const tooMuch = (size: number): SkipReason => (size > maxFileBytes ? "too_large" : "budget");
      if (place.size !== undefined && place.size > limit) {
        skip(tooMuch(place.size));
        continue;
      }
      const content = await contents.read(place.name, maxFileBytes);
      if (typeof content === "string") {
        skip(content === "too_large" ? "too_large" : "missing");
        continue;
      }
      const bytes = file.isBinary ? content : decodeText(content);
      if (bytes.length > limit) {
        skip(tooMuch(bytes.length));
        continue;
      }
      const outcome = await writeFresh(directory, path, bytes);
      if (outcome !== "written") {
        skip(outcome);
        continue;
      }
      total += bytes.length;
      written.push({ path, bytes: bytes.length });
    }
  });
  return { written, skipped };
}
