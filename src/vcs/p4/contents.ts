// Reads file contents through private files, since p4's own output damages NULs, UTF-16 and what is no UTF-8.
import { lstat, mkdtemp, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { unreachable } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { chunks } from "./ancestors.ts";
import { PRIVATE_FOLDER } from "./environment.ts";
import type { P4 } from "./run-p4.ts";

export type Unread = "missing" | "forbidden" | "unreadable" | "too_large";

export interface Contents {
  /** A folder of ours that lives as long as these contents are read. */
  readonly folder: string;
  /**
   * The content of `//depot/path@N`. `too_large` where it has more bytes than allowed, `missing` where there is no such file
   * there, `forbidden` where the bot may not see it, `unreadable` where the server has lost or put away its content.
   */
  read(file: string, maxBytes: number): Promise<Buffer | Unread>;
}

/** Connections to the server that one call opens at a time. */
export const WIDTH = 4;

/** Gives the contents to `use` and removes the folder whatever happens. */
export async function withContents<T>(p4: P4, budget: Budget, use: (contents: Contents) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(p4.home, PRIVATE_FOLDER));
  let count = 0;
  try {
    return await use({
      folder,
      async read(file, maxBytes) {
        const target = join(folder, `content-${count++}`);
        try {
          return await print(p4, budget, file, target, maxBytes);
        } finally {
          await rm(target, { recursive: true, force: true });
        }
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function print(p4: P4, budget: Budget, file: string, target: string, maxBytes: number): Promise<Buffer | Unread> {
  const { troubles } = await p4.records(["print", "-q", "-K", "-o", target, file], {
    budget,
    mayBeEmpty: true,
    // Content that could not be translated is there all the same, as it is on the server.
    expected: ["missing", "forbidden", "unreadable", "translation"],
  });
  for (const trouble of ["forbidden", "unreadable", "missing"] as const) if (troubles.includes(trouble)) return trouble;
  const found = await lstat(target).catch(() => null);
  // No word and no file: whoever answered was not the server.
  if (found === null) throw unreachable(p4.subject, "p4 print wrote no file");
  // p4 makes a link of a link. Its target is the content; nothing behind it is ever read.
  if (found.isSymbolicLink()) return Buffer.from(await readlink(target));
  if (!found.isFile()) throw unreachable(p4.subject, "p4 print wrote something else than a file");
  return found.size > maxBytes ? "too_large" : readFile(target);
}

/** Sizes in bytes as stored on the server, of those files that exist at their revisions; keys are depot files. */
export async function readSizes(
  p4: P4,
  budget: Budget,
  files: readonly { readonly depotFile: string; readonly suffix: string }[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const some of chunks(files.map(({ depotFile, suffix }) => depotFile + suffix))) {
    const { records } = await p4.records(["sizes", ...some], { budget, expected: ["missing", "forbidden"] });
    for (const { depotFile, fileSize } of records) {
      if (depotFile !== undefined && fileSize !== undefined && /^\d+$/.test(fileSize)) {
        sizes.set(depotFile, Number(fileSize));
      }
    }
  }
  return sizes;
}

/** Content as UTF-8 where a byte order mark says that it is UTF-16, so that it can be compared, shown and anchored. */
export function decodeText(bytes: Buffer): Buffer {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  return encoding === null ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes), "utf8");
}

/**
 * Runs the work of all items, a few at a time. After the first failure nothing new is begun, and it is thrown once all that
 * was begun has ended, so that nothing runs on behind the caller's back.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    for (let at = next++; at < items.length && failures.length === 0; at = next++) {
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
