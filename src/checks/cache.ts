// Results of earlier runs on disk: found again by what they were made from, shared by servers, rebuilt when unreadable.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "../ports/check-engine.ts";
import { replaceFileSync } from "../report-tools/atomic-file.ts";
import type { Snapshot } from "./snapshots.ts";
import { statIfAny } from "./stat.ts";

/** What one run of tsc on one project was made from. */
export interface ProgramRecord {
  /** Configuration file, or `""` for files without one. */
  readonly project: string;
  /** Engine, arguments, names of files and of installed packages: equal or the record does not count. */
  readonly key: string;
  /** Absolute path → content hash of every file read; null for one that was absent. */
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Cache {
  readonly snapshots: Iterable<readonly [string, Snapshot]>;
  /** Null when this file with this content has no result under this key (engine, version and settings). */
  lint(key: string, file: string, hash: string): readonly Diagnostic[] | null;
  keepLint(key: string, file: string, hash: string, diagnostics: readonly Diagnostic[]): void;
  /** Newest first. */
  programs(project: string): readonly ProgramRecord[];
  keepProgram(record: ProgramRecord): void;
  /** Rules with a fix, by engine version. */
  fixable(key: string): readonly string[] | null;
  keepFixable(key: string, rules: readonly string[]): void;
  /** Writes what is new, with what other servers have written meanwhile. Never throws: a cache that cannot be kept costs time only. */
  save(snapshots: Iterable<readonly [string, Snapshot]>): void;
  /** True once, if the file was there and could not be read. */
  takeRebuilt(): boolean;
}

const schemaVersion = 1;
/** Settings (or engine versions) whose results are kept side by side. */
const maxKeys = 6;
/** Contents of one file whose results are kept. */
const maxContents = 8;
/** Runs of tsc kept for one project, and inputs of all of them together. */
const maxPrograms = 12;
const maxProgramInputs = 60_000;

type LintResults = Map<string, Map<string, Map<string, readonly Diagnostic[]>>>;

interface Contents {
  readonly snapshots: Record<string, Snapshot>;
  readonly lint: LintResults;
  readonly programs: ProgramRecord[];
  readonly fixable: Map<string, readonly string[]>;
}

/** `$XDG_CACHE_HOME/aicr-checks/<hash of the project's real path>`; a relative XDG_CACHE_HOME is ignored, as its specification says. */
export function cacheDirectory(realRoot: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env["XDG_CACHE_HOME"];
  const base = home !== undefined && isAbsolute(home) ? home : join(env["HOME"] ?? homedir(), ".cache");
  return join(base, "aicr-checks", createHash("sha256").update(realRoot).digest("hex").slice(0, 24));
}

/** @param directory null keeps everything in memory. */
export function openCache(directory: string | null): Cache {
  const path = directory === null ? null : join(directory, "cache.json");
  let rebuilt = false;
  let identity: string | null = null;

  function load(): Contents {
    if (path === null) return emptyContents();
    identity = identityOf(path);
    if (identity === null) return emptyContents();
    try {
      return decode(JSON.parse(readFileSync(path, "utf8")));
    } catch {
      rebuilt = true;
      return emptyContents();
    }
  }

  const contents = load();

  /** Takes over what another server wrote since we read; ours stays where both have a result. */
  function merge(): void {
    if (path === null || identityOf(path) === identity) return;
    try {
      const theirs = decode(JSON.parse(readFileSync(path, "utf8")));
      for (const [key, files] of theirs.lint) {
        for (const [file, results] of files) {
          for (const [hash, found] of results) {
            if (contents.lint.get(key)?.get(file)?.has(hash) !== true)
              put(contents.lint, key, file, hash, found, false);
          }
        }
      }
      for (const record of theirs.programs) {
        if (!contents.programs.some((own) => sameProgram(own, record))) contents.programs.push(record);
      }
      for (const [key, rules] of theirs.fixable) if (!contents.fixable.has(key)) contents.fixable.set(key, rules);
    } catch {
      // Unreadable: replaced by ours.
    }
  }

  return {
    snapshots: Object.entries(contents.snapshots),
    lint: (key, file, hash) => contents.lint.get(key)?.get(file)?.get(hash) ?? null,
    keepLint(key, file, hash, diagnostics) {
      put(contents.lint, key, file, hash, diagnostics, true);
    },
    programs: (project) => contents.programs.filter((record) => record.project === project),
    keepProgram(record) {
      const others = contents.programs.filter((own) => !sameProgram(own, record));
      contents.programs.splice(0, contents.programs.length, record, ...others);
    },
    fixable: (key) => contents.fixable.get(key) ?? null,
    keepFixable(key, rules) {
      contents.fixable.set(key, rules);
    },
    save(snapshots) {
      if (path === null || directory === null) return;
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        merge();
        prune(contents);
        const text = JSON.stringify(encode(contents, snapshots));
        replaceFileSync(path, `${path}.${process.pid}.tmp`, [Buffer.from(text)]);
        identity = identityOf(path);
      } catch {
        // A full disk or a read-only home.
      }
    },
    takeRebuilt() {
      const was = rebuilt;
      rebuilt = false;
      return was;
    },
  };
}

function emptyContents(): Contents {
  return { snapshots: {}, lint: new Map(), programs: [], fixable: new Map() };
}

function put(
  lint: LintResults,
  key: string,
  file: string,
  hash: string,
  diagnostics: readonly Diagnostic[],
  newest: boolean,
): void {
  const files = lint.get(key) ?? new Map<string, Map<string, readonly Diagnostic[]>>();
  const results = files.get(file) ?? new Map<string, readonly Diagnostic[]>();
  results.delete(hash);
  results.set(hash, diagnostics);
  files.set(file, results);
  // Maps keep the order of insertion: the last is the newest.
  if (newest) lint.delete(key);
  lint.set(key, files);
}

function sameProgram(a: ProgramRecord, b: ProgramRecord): boolean {
  if (a.project !== b.project || a.key !== b.key) return false;
  const paths = Object.keys(a.inputs);
  return paths.length === Object.keys(b.inputs).length && paths.every((path) => a.inputs[path] === b.inputs[path]);
}

function prune(contents: Contents): void {
  while (contents.lint.size > maxKeys) contents.lint.delete(contents.lint.keys().next().value ?? "");
  for (const files of contents.lint.values()) {
    for (const results of files.values()) {
      while (results.size > maxContents) results.delete(results.keys().next().value ?? "");
    }
  }
  const perProject = new Map<string, number>();
  let inputs = 0;
  const kept = contents.programs.filter((record) => {
    const count = (perProject.get(record.project) ?? 0) + 1;
    perProject.set(record.project, count);
    inputs += Object.keys(record.inputs).length;
    return count <= maxPrograms && (inputs <= maxProgramInputs || count === 1);
  });
  contents.programs.splice(0, contents.programs.length, ...kept);
}

function encode(contents: Contents, snapshots: Iterable<readonly [string, Snapshot]>): unknown {
  return {
    schemaVersion,
    snapshots: Object.fromEntries(snapshots),
    lint: [...contents.lint].map(([key, files]) => [key, [...files].map(([file, results]) => [file, [...results]])]),
    programs: contents.programs,
    fixable: [...contents.fixable],
  };
}

/** Throws on anything that is not a cache of this version: it is rebuilt, never guessed at. */
function decode(value: unknown): Contents {
  const raw = value as {
    schemaVersion?: unknown;
    snapshots?: Record<string, Snapshot>;
    lint?: [string, [string, [string, readonly Diagnostic[]][]][]][];
    programs?: ProgramRecord[];
    fixable?: [string, readonly string[]][];
  } | null;
  if (raw?.schemaVersion !== schemaVersion) throw new SyntaxError("another version");
  const { snapshots, lint, programs, fixable } = raw;
  if (typeof snapshots !== "object" || !Array.isArray(lint) || !Array.isArray(programs) || !Array.isArray(fixable)) {
    throw new SyntaxError("no cache");
  }
  for (const record of programs) {
    if (typeof record.inputs !== "object" || !Array.isArray(record.diagnostics)) throw new SyntaxError("no record");
  }
  return {
    snapshots,
    lint: new Map(lint.map(([key, files]) => [key, new Map(files.map(([file, results]) => [file, new Map(results)]))])),
    programs,
    fixable: new Map(fixable),
  };
}

function identityOf(path: string): string | null {
  const stats = statIfAny(path);
  return stats === undefined ? null : `${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}`;
}
