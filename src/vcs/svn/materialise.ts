// Writes the changed files of one side into a fresh directory: no keywords expanded, no externals, no links.
import { mkdir } from "node:fs/promises";
import type { Change, ChangedFile } from "../../core/change.ts";
import type { Materialised, MaterialisedFile, MaterialiseOptions } from "../../ports/vcs.ts";
import { isSafePath, writeFresh } from "../fresh-file.ts";
import type { Budget } from "../git/run-git.ts";
import { eachSome } from "./concurrency.ts";
import { type Contents, withoutLinkPrefix } from "./contents.ts";
import { endsOf } from "./list-changes.ts";

type SkipReason = Materialised["skipped"][number]["reason"];

interface Wanted {
  readonly path: string;
  readonly mode: string | undefined;
  /** Where the listing knows it: what is too large anyway is not fetched. */
  readonly size: number | undefined;
}

export async function materialise(
  contents: Contents,
  change: Change,
  options: MaterialiseOptions,
  budget: Budget,
): Promise<Materialised> {
  const ends = endsOf(change);
  const revision = options.side === "new" ? ends.head : ends.base;
  const written: MaterialisedFile[] = [];
  const skipped: { path: string; reason: SkipReason }[] = [];
  await mkdir(options.directory, { recursive: true });
  if (revision === 0) return { written, skipped };

  const wanted = options.files.flatMap((file): readonly Wanted[] => {
    const one = wantedOf(options.side, file);
    if (one === null || isSafePath(one.path)) return one === null ? [] : [one];
    skipped.push({ path: one.path, reason: "unsafe_path" });
    return [];
  });
  const small = wanted.filter(({ size }) => refusalOf(size ?? 0, 0, options) === null).map(({ path }) => path);
  await contents.readAhead(small, revision, options.maxFileBytes, budget);
  let total = 0;
  const read = async (one: Wanted) => {
    const known = refusalOf(one.size ?? 0, total, options);
    // Once the budget is full, nothing more is fetched.
    const content = known ?? (await contents.read(one.path, revision, options.maxFileBytes, budget));
    return { ...one, content };
  };
  for await (const { path, mode, content } of eachSome(wanted, read)) {
    if (typeof content === "string" || content.outcome !== "read") {
      const outcome = typeof content === "string" ? content : content.outcome;
      skipped.push({ path, reason: outcome === "too_large" || outcome === "budget" ? outcome : "missing" });
      continue;
    }
    const bytes = withoutLinkPrefix(content.bytes, mode);
    const outcome = refusalOf(bytes.length, total, options) ?? (await writeFresh(options.directory, path, bytes));
    if (outcome !== "written") {
      skipped.push({ path, reason: outcome });
      continue;
    }
    total += bytes.length;
    written.push({ path, bytes: bytes.length });
  }
  return { written, skipped };
}

function refusalOf(size: number, total: number, options: MaterialiseOptions): "too_large" | "budget" | null {
  if (size > options.maxFileBytes) return "too_large";
  return total + size > options.maxTotalBytes ? "budget" : null;
}

/** The path and mode on a side, or null where the side has no such file. */
function wantedOf(side: "new" | "old", file: ChangedFile): Wanted | null {
  if (file.kind === (side === "new" ? "delete" : "add")) return null;
  const raw = side === "new" ? file.rawPath : (file.oldRawPath ?? file.rawPath);
  const path = Buffer.from(raw, "latin1").toString("utf8");
  return side === "new" ? { path, mode: file.newMode, size: file.size } : { path, mode: file.oldMode, size: undefined };
}
