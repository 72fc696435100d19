// Reads a run directory into the files that the checks look at, and counts what is left out and why.
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ChangeFacts, ChangeFactsFile } from "../../report-tools/change-file.ts";
import type { ChangedText, LineRange } from "./introduced.ts";
import { contentExclusion, type Exclusion, exclusion } from "./source-kinds.ts";

/** A larger file is data, whatever its name: reading it would cost more than it could find. Bytes. */
export const maxFileBytes = 2 * 1024 * 1024;

export type LeftOut = Exclusion | "binary" | "large" | "missing";

export interface ReviewedFile extends ChangedText {
  readonly path: string;
  readonly text: string;
  /** The pre-image's path below `base/`; null where the file is new. */
  readonly basePath: string | null;
  readonly baseText: string | null;
}

export interface ChangeUnderReview {
  readonly files: readonly ReviewedFile[];
  readonly leftOut: ReadonlyMap<LeftOut, number>;
}

type Loaded = ReviewedFile | LeftOut | null;

async function readText(root: string, path: string): Promise<string | "large" | "binary" | null> {
  try {
    // The materialised sides hold plain files; a link at any step could lead out of the run directory.
    const whole = await realpath(join(root, path));
    if (whole !== join(await realpath(root), path)) return null;
    const found = await stat(whole);
    if (!found.isFile()) return null;
    if (found.size > maxFileBytes) return "large";
    const bytes = await readFile(whole);
    return bytes.includes(0) ? "binary" : bytes.toString("utf8");
  } catch {
    return null;
  }
}

async function load(file: ChangeFactsFile, sides: { readonly source: string; readonly base: string }): Promise<Loaded> {
  // Without an added line there is nothing a finding could stand on.
  if (file.kind === "delete" || file.isSubmodule || file.isSymlink) return null;
  if (file.isBinary || file.isLfs) return "binary";
  if (file.added.length === 0) return null;
  if (file.isGenerated) return "generated";
  const byName = exclusion(file.path);
  if (byName !== null) return byName;
  const text = await readText(sides.source, file.path);
  if (text === null) return "missing";
  if (text === "large" || text === "binary") return text;
  const byContent = contentExclusion(text);
  if (byContent !== null) return byContent;
  const basePath = file.kind === "add" ? null : (file.oldPath ?? file.path);
  const baseText = basePath === null ? null : await readText(sides.base, basePath);
  // A pre-image that cannot be read leaves nothing to compare with: better silent than blaming the change.
  if (basePath !== null && (baseText === null || baseText === "large" || baseText === "binary")) return "missing";
  return {
    path: file.path,
    text,
    lines: text.split("\n"),
    basePath,
    baseText,
    baseLines: baseText?.split("\n") ?? null,
    added: file.added.map(({ start, end }): LineRange => ({ start, end })),
  };
}

export async function readChangeUnderReview(
  facts: ChangeFacts,
  sides: { readonly source: string; readonly base: string },
): Promise<ChangeUnderReview> {
  const leftOut = new Map<LeftOut, number>();
  const count = (why: LeftOut, by = 1): void => void leftOut.set(why, (leftOut.get(why) ?? 0) + by);
  const files: ReviewedFile[] = [];
  for (const loaded of await Promise.all(facts.files.map((file) => load(file, sides)))) {
    if (typeof loaded === "string") count(loaded);
    else if (loaded !== null) files.push(loaded);
  }
  if (facts.omitted.length > 0) count("large", facts.omitted.length);
  return { files, leftOut };
}
