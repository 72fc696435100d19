// The loop log on disk: appended by every server on the project, read on from where it was left, compacted when it grows.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Diagnostic } from "../ports/check-engine.ts";
import type { EngineName } from "./limits.ts";
import { createLoops, type LoopLine, type LoopSignature, type LoopState, type LoopStep } from "./loop.ts";

export interface LoopLog {
  observe(diagnostics: readonly Diagnostic[], covered: (engine: EngineName, file: string) => boolean): void;
  looping(): readonly LoopSignature[];
}

/** Past this size the log is replaced by its own summary, bytes. */
const compactAbove = 1024 * 1024;

/**
 * @param path the log; null keeps the history in memory alone.
 * A line that is torn or is no step is skipped. A log that cannot be written costs the history, not the check.
 */
export function createLoopLog(path: string | null): LoopLog {
  let loops = createLoops();
  let inode = -1;
  let position = 0;

  /** Takes in what others, or an earlier process, have written. */
  function catchUp(): void {
    if (path === null || !existsSync(path)) return;
    const file = openSync(path, "r");
    try {
      const stats = fstatSync(file);
      if (stats.ino !== inode || stats.size < position) {
        loops = createLoops();
        inode = stats.ino;
        position = 0;
      }
      const bytes = Buffer.alloc(stats.size - position);
      const length = readSync(file, bytes, 0, bytes.length, position);
      const end = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
      for (const line of bytes.toString("utf8", 0, end).split("\n")) take(line);
      position += end;
    } finally {
      closeSync(file);
    }
  }

  function take(line: string): void {
    const parsed = parseLine(line);
    if (parsed === null) return;
    if ("on" in parsed) loops.apply(parsed);
    else loops.restore(parsed);
  }

  function append(log: string, step: LoopStep): void {
    // The line begins on a new line even if somebody was killed within the last one.
    const torn = existsSync(log) && statSync(log).size > position;
    appendFileSync(log, `${torn ? "\n" : ""}${JSON.stringify(step)}\n`, { mode: 0o600 });
    // Reading it back applies it, in the order in which the servers on this project wrote.
    catchUp();
    if (position > compactAbove) compact(log);
  }

  function compact(log: string): void {
    const temporary = `${log}.${process.pid}.tmp`;
    const lines = loops.compact().map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(temporary, lines.join(""), { mode: 0o600 });
    renameSync(temporary, log);
    inode = -1;
  }

  function quietly(run: () => void): boolean {
    try {
      run();
      return true;
    } catch {
      // A full disk or a read-only home: the check itself stands.
      return false;
    }
  }

  return {
    observe(diagnostics, covered) {
      quietly(catchUp);
      const step = loops.compare(diagnostics, covered);
      if (step === null) return;
      if (path === null || !quietly(() => append(path, step))) loops.apply(step);
    },
    looping() {
      quietly(catchUp);
      return loops.looping();
    },
  };
}

/** Null for anything but a whole line of ours. */
export function parseLine(line: string): LoopLine | null {
  if (line === "") return null;
  try {
    const value = JSON.parse(line) as Partial<LoopStep & LoopState> | null;
    if (isTriples(value?.on) && isTriples(value?.off)) return { on: value.on, off: value.off };
    if (
      typeof value?.engine === "string" &&
      typeof value.signature === "string" &&
      Array.isArray(value.files) &&
      value.files.every((file) => typeof file === "string") &&
      Number.isInteger(value.returns) &&
      Number.isInteger(value.absent)
    ) {
      return value as LoopState;
    }
  } catch {
    // torn
  }
  return null;
}

function isTriples(value: unknown): value is LoopStep["on"] {
  return (
    Array.isArray(value) &&
    value.every(
      (entry) => Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === "string"),
    )
  );
}
