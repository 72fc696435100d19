// Reads a path that an agent asked for as a path inside the repository, or refuses it.
import { badPath, type Subject } from "./faults.ts";

/** Bytes; CONTRACT §A. */
const MAX_PATH_BYTES = 1024;

/** @returns the folded path, relative and without `.` or empty components. Throws AppError `bad_request`. */
export function readPath(path: string, subject: Subject): string {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw badPath(subject, path, "the path is too long");
  if (/\p{Cc}/u.test(path)) throw badPath(subject, path, "the path holds control characters");
  const text = path.replaceAll("\\", "/");
  if (text.startsWith("/") || /^[A-Za-z]:/.test(text)) throw badPath(subject, path, "the path is absolute");
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw badPath(subject, path, "the path leaves the repository");
  if (parts.length === 0) throw badPath(subject, path, "the path is empty");
  return parts.join("/");
}
