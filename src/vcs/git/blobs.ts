// What the content of a blob is, told from its beginning as git tells it.
import type { Git, GitRun } from "./run-git.ts";

/** git looks for a NUL in so many bytes. */
const SNIFF_BYTES = 8000;
/** The specification of LFS: a pointer file is smaller than this. */
export const LFS_POINTER_BYTES = 1024;

export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}

export function isLfsPointer(bytes: Buffer): boolean {
  return (
    bytes.length <= LFS_POINTER_BYTES &&
    /^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\//.test(bytes.toString("latin1", 0, 60))
  );
}

/** Reads only the beginning, whatever the size of the blob. */
export async function isBinaryBlob(git: Git, run: GitRun, id: string): Promise<boolean> {
  const result = await git.attempt(["cat-file", "blob", id], { ...run, maxBytes: SNIFF_BYTES });
  return looksBinary(result.stdout);
}
