// Writes content under a name that somebody else chose, and never outside of the directory that it is meant for.
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";

const READ_ONLY = 0o444;

/** Whether a path stays below a directory on every file system, and cannot pose as a repository's administration. */
export function isSafePath(path: string): boolean {
  if (path === "" || path.includes("\0") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((part) => {
    // `.git` also as case-folding and NTFS file systems know it, and with the characters HFS+ ignores.
    const plain = part.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "").toLowerCase();
    return part !== "" && part !== "." && part !== ".." && !/^(\.git|git~\d+)[. ]*$/.test(plain) && part.length <= 255;
  });
}

/**
 * Writes a read-only file that was not there. `unsafe_path` where something is already there: a file in a folder's place,
 * or two names that fold to one.
 * @param directory nobody but us writes below it, and we never write a link, so that no component can lead elsewhere.
 * @param path a path that `isSafePath` accepts.
 */
export async function writeFresh(
  directory: string,
  path: string,
  content: Uint8Array,
): Promise<"written" | "unsafe_path"> {
  const target = join(directory, path);
  try {
    await mkdir(join(target, ".."), { recursive: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(target, flags, READ_ONLY);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    return "written";
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      /^(EEXIST|ENOTDIR|ENAMETOOLONG|EISDIR|EILSEQ)$/.test(String(error.code))
    ) {
      return "unsafe_path";
    }
    throw error;
  }
}
