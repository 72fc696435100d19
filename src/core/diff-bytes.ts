// The few byte operations that reading a diff needs; nothing here copies more than one header line.
import { AppError } from "./errors.ts";

export const LF = 10;
export const CR = 13;

/** No path that a file system takes is longer, even with every byte quoted on both sides of a header. */
const longestHeader = 65_536;

/** Offset of the line feed that ends the line at `from`, or the end of the bytes. */
export function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end;
}

/** Offset of the line after the one that ends at `end`. */
export function afterLine(bytes: Buffer, end: number): number {
  return end < bytes.length ? end + 1 : end;
}

/** `word` is ASCII. */
export function startsWith(bytes: Buffer, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** A header line as latin1, so that no byte is lost. Throws `corrupt` for one that is too long to be a header. */
export function headerText(bytes: Buffer, start: number, end: number): string {
  if (end - start > longestHeader) throw corrupt(bytes, start, "a header line is longer than any path can be");
  return bytes.toString("latin1", start, end);
}

/** The fault of a diff that breaks the format, naming line and byte. */
export function corrupt(bytes: Buffer, offset: number, what: string): AppError {
  const place = `line ${lineNumber(bytes, offset)}, byte ${offset}`;
  return new AppError("corrupt", `The diff is malformed at ${place}: ${what}.`, {
    remedy: "Produce the diff again with plain git, svn or p4; it must be whole and unedited.",
  });
}

/** The 1-based line of a byte. Linear, so only for a fault that ends the reading. */
function lineNumber(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(LF); at >= 0 && at < offset; at = bytes.indexOf(LF, at + 1)) line++;
  return line;
}
