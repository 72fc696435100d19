// Columns as the engines count them (bytes, code points) turned into UTF-16 units, which editors and the port use.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Columns {
  /** `column` counts UTF-8 bytes from 1. */
  fromBytes(file: string, line: number, column: number): number;
  /** `column` counts code points from 1. */
  fromCodePoints(file: string, line: number, column: number): number;
  /** Where the byte at `offset` (from 0) of the file stands; the file's beginning if it cannot be read. */
  ofByte(file: string, offset: number): { readonly line: number; readonly col: number };
}

/** Reads each file at most once, and only where a column is asked for; an unreadable file keeps the engine's count. */
export function createColumns(root: string): Columns {
  const cache = new Map<string, readonly string[]>();

  function linesOf(file: string): readonly string[] {
    let lines = cache.get(file);
    if (lines === undefined) {
      try {
        lines = readFileSync(join(root, file), "utf8").split("\n");
      } catch {
        lines = [];
      }
      cache.set(file, lines);
    }
    return lines;
  }

  function convert(file: string, number: number, column: number, prefix: (text: string) => string): number {
    if (column <= 1) return Math.max(1, column);
    const text = linesOf(file)[number - 1];
    return text === undefined || isAscii(text) ? column : prefix(text).length + 1;
  }

  return {
    fromBytes: (file, number, column) =>
      convert(file, number, column, (text) =>
        Buffer.from(text)
          .subarray(0, column - 1)
          .toString("utf8"),
      ),
    fromCodePoints: (file, number, column) =>
      convert(file, number, column, (text) => [...text].slice(0, column - 1).join("")),
    ofByte(file, offset) {
      const before = Buffer.from(linesOf(file).join("\n")).subarray(0, offset).toString("utf8").split("\n");
      return { line: before.length, col: (before.at(-1) ?? "").length + 1 };
    },
  };
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}
