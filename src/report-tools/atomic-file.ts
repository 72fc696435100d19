// Reads and replaces small files whole: a reader or a kill at any moment sees the old document or the new one.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writevSync,
} from "node:fs";

/** What tells one written version of a file from the next; a rename always brings a new one. */
export type FileIdentity = string;

/**
 * Replaces a file by temporary file and rename in the same directory. Without fsync: the promise is against a killed process,
 * not against a power cut, after which the whole run is repeated anyway. Synchronous, so that no other call of this process
 * comes between a check and its write.
 *
 * @param temporary path in the same directory that no other process uses.
 * @returns the identity of the version written. Throws the system's error; the old file then stands and no temporary is left.
 */
export function replaceFileSync(path: string, temporary: string, pieces: readonly Uint8Array[]): FileIdentity {
  let identity: FileIdentity;
  try {
    // `wx`: a link planted at the temporary's name is never followed.
    const file = openSync(temporary, "wx", 0o644);
    try {
      writeAll(file, pieces);
      identity = identityOf(fstatSync(file, { bigint: false }));
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (fault) {
    removeIfThere(temporary);
    throw fault;
  }
  return identity;
}

export type FileRead =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly identity: FileIdentity }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads a regular file that may have been written by somebody hostile: no links followed, no waiting on pipes, a size cap. */
export function readFileWhole(path: string, maxBytes: number): FileRead {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (fault) {
    return codeOf(fault) === "ENOENT"
      ? { kind: "missing" }
      : { kind: "unreadable", reason: `it cannot be opened (${codeOf(fault)})` };
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { kind: "unreadable", reason: "it is no regular file" };
    if (stats.size > maxBytes) return { kind: "unreadable", reason: `it has more than ${maxBytes} bytes` };
    const bytes = Buffer.allocUnsafe(stats.size);
    let read = 0;
    while (read < bytes.length) {
      const count = readSync(file, bytes, read, bytes.length - read, read);
      if (count === 0) break;
      read += count;
    }
    return { kind: "read", bytes: bytes.subarray(0, read), identity: identityOf(stats) };
  } catch (fault) {
    return { kind: "unreadable", reason: `it cannot be read (${codeOf(fault)})` };
  } finally {
    closeSync(file);
  }
}

/** The identity of the version that is there now; null when there is none. */
export function currentIdentity(path: string): FileIdentity | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : identityOf(stats);
}

/** Removes a file; that it is not there, or not ours to remove, is no fault. */
export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // See above: there is nothing more to do about it.
  }
}

/** The system's name of a fault (`ENOSPC`), or its message. */
export function codeOf(fault: unknown): string {
  if (fault instanceof Error) return "code" in fault && typeof fault.code === "string" ? fault.code : fault.message;
  return String(fault);
}

function identityOf(stats: Stats): FileIdentity {
  return `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}

function writeAll(file: number, pieces: readonly Uint8Array[]): void {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let rest: readonly Uint8Array[] = pieces;
  for (let left = total; left > 0; ) {
    const written = writevSync(file, rest);
    left -= written;
    if (left > 0) rest = skip(rest, written);
  }
}

/** The pieces without their first bytes: a full or slow disk may take a part only. */
function skip(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let toSkip = bytes;
  for (const piece of pieces) {
    if (toSkip < piece.length) rest.push(piece.subarray(toSkip));
    toSkip = Math.max(0, toSkip - piece.length);
  }
  return rest;
}
