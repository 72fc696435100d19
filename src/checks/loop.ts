// Which complaints come back after they were fixed: told from one check to the next, and across restarts by a log of what changed.
import type { Diagnostic } from "../ports/check-engine.ts";
import type { EngineName } from "./limits.ts";

export interface LoopSignature {
  /** Rule and message with names, quotes and numbers taken out. */
  readonly signature: string;
  /** How often it has come back. */
  readonly occurrences: number;
}

/** One line of the log: `[engine, signature, file]` that came and that went. An empty line is a check that changed nothing. */
export interface LoopStep {
  readonly on: readonly (readonly [string, string, string])[];
  readonly off: readonly (readonly [string, string, string])[];
}

export interface Loops {
  /**
   * What this check changed; `apply` makes it history. `covered` says of which files an engine has spoken: a complaint in a file that
   * was not checked, or of an engine that failed, has not gone. Null when there is nothing to remember.
   */
  compare(diagnostics: readonly Diagnostic[], covered: (engine: EngineName, file: string) => boolean): LoopStep | null;
  /** A step of the log: of an earlier process, or of another server on the same project. */
  apply(step: LoopStep): void;
  /** A line of a compacted log. */
  restore(state: LoopState): void;
  /** Signatures that came back at least twice, most often first. */
  looping(): readonly LoopSignature[];
  /** The shortest log that says the same. */
  compact(): readonly LoopState[];
}

/** A whole signature as `compact` writes it. */
export interface LoopState {
  readonly engine: string;
  readonly signature: string;
  readonly files: readonly string[];
  readonly returns: number;
  readonly absent: number;
}

export type LoopLine = LoopStep | LoopState;

const loopingFrom = 2;
/** A signature that stayed away for so many checks is forgotten. */
const expiresAfter = 10;

interface Tracked {
  readonly engine: string;
  readonly signature: string;
  readonly files: Set<string>;
  returns: number;
  /** Checks since it went; 0 while it is there. */
  absent: number;
}

export function createLoops(): Loops {
  const tracked = new Map<string, Tracked>();

  function apply(step: LoopStep): void {
    for (const [engine, signature, file] of step.off) tracked.get(keyOf(engine, signature))?.files.delete(file);
    for (const [engine, signature, file] of step.on) {
      const key = keyOf(engine, signature);
      const entry = tracked.get(key);
      if (entry === undefined) {
        tracked.set(key, { engine, signature, files: new Set([file]), returns: 0, absent: 0 });
      } else {
        if (entry.absent > 0) entry.returns++;
        entry.absent = 0;
        entry.files.add(file);
      }
    }
    for (const [key, entry] of tracked) {
      if (entry.files.size > 0) continue;
      entry.absent++;
      if (entry.absent >= expiresAfter) tracked.delete(key);
    }
  }

  return {
    compare(diagnostics, covered) {
      const present = new Map<string, Map<string, readonly [string, string, string]>>();
      for (const found of diagnostics) {
        const signature = signatureOf(found);
        const key = keyOf(found.engine, signature);
        const files = present.get(key) ?? new Map<string, readonly [string, string, string]>();
        files.set(found.file, [found.engine, signature, found.file]);
        present.set(key, files);
      }
      const on: (readonly [string, string, string])[] = [];
      const off: (readonly [string, string, string])[] = [];
      for (const [key, files] of present) {
        for (const [file, entry] of files) if (tracked.get(key)?.files.has(file) !== true) on.push(entry);
      }
      let waiting = false;
      for (const [key, entry] of tracked) {
        if (entry.files.size === 0) waiting = true;
        for (const file of entry.files) {
          if (present.get(key)?.has(file) === true || !covered(entry.engine as EngineName, file)) continue;
          off.push([entry.engine, entry.signature, file]);
        }
      }
      return on.length === 0 && off.length === 0 && !waiting ? null : { on, off };
    },
    apply,
    restore: ({ engine, signature, files, returns, absent }) =>
      void tracked.set(keyOf(engine, signature), { engine, signature, files: new Set(files), returns, absent }),
    looping: () =>
      [...tracked.values()]
        .filter((entry) => entry.returns >= loopingFrom)
        .sort((a, b) => b.returns - a.returns || (a.signature < b.signature ? -1 : 1))
        .map((entry) => ({ signature: entry.signature, occurrences: entry.returns })),
    compact: () =>
      [...tracked.values()].map(({ engine, signature, files, returns, absent }) => ({
        engine,
        signature,
        files: [...files],
        returns,
        absent,
      })),
  };
}

function keyOf(engine: string, signature: string): string {
  return `${engine}\0${signature}`;
}

/** `no-unused-vars:<identifier> is unused`: the same mistake elsewhere, or about another name, is the same signature. */
export function signatureOf(found: Pick<Diagnostic, "rule" | "message">): string {
  const message = found.message
    // An apostrophe within a word ("doesn't") opens no quote.
    .replace(/(?<![\p{L}\p{N}])(["'`‘“])(?:\\.|(?!\1)[^\\’”])*(?:\1|[’”])/gu, "<identifier>")
    .replace(/\b\d+(?:\.\d+)?\b/gu, "<number>")
    // Names without quotes: camelCase, snake_case and with a dollar sign; plain words stay.
    .replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (word) =>
      /[_$]|\p{Ll}\p{Lu}|\p{N}/u.test(word) && word !== "<identifier>" ? "<identifier>" : word,
    )
    .replace(/\s+/gu, " ")
    .trim();
  return `${found.rule}:${message.slice(0, 300)}`;
}
