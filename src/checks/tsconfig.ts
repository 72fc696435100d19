// What of a tsconfig.json matters for running tsc on it: its chain of extended files, its references, and what it would write.
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { parseJsonc } from "./jsonc.ts";
import { statIfAny } from "./stat.ts";

export interface TsProject {
  /** The configuration file. */
  readonly path: string;
  /** The file itself and all that it extends, whether they exist or not. */
  readonly chain: readonly string[];
  /** Configuration files of the projects it references. */
  readonly references: readonly string[];
  /** It names projects and has no files of its own. */
  readonly isSolution: boolean;
  /** It would write a build info file although it emits nothing. */
  readonly isIncremental: boolean;
  readonly isComposite: boolean;
  readonly hasTypeRoots: boolean;
}

interface RawConfig {
  readonly extends?: unknown;
  readonly files?: unknown;
  readonly include?: unknown;
  readonly references?: unknown;
  readonly compilerOptions?: {
    readonly composite?: unknown;
    readonly incremental?: unknown;
    readonly tsBuildInfoFile?: unknown;
    readonly typeRoots?: unknown;
  };
}

/** A broken file gives an empty project: tsc itself says what is wrong with it. */
export function readTsProject(path: string): TsProject {
  const own = readRaw(path);
  const chain: string[] = [];
  const merged: Record<string, unknown> = {};
  collect(path, chain, merged);
  const references = (Array.isArray(own.references) ? own.references : [])
    .map((reference: unknown) => (reference as { path?: unknown } | null)?.path)
    .filter((target) => typeof target === "string")
    .map((target) => configFile(resolve(dirname(path), target)));
  const isComposite = merged["composite"] === true;
  return {
    path,
    chain,
    references,
    isSolution:
      references.length > 0 && Array.isArray(own.files) && own.files.length === 0 && own.include === undefined,
    isIncremental: isComposite || merged["incremental"] === true || typeof merged["tsBuildInfoFile"] === "string",
    isComposite,
    hasTypeRoots: Array.isArray(merged["typeRoots"]),
  };
}

/** The projects reached from `roots` through references, each once, referenced ones first. */
export function closure(roots: readonly string[]): TsProject[] {
  const seen = new Set<string>();
  const projects: TsProject[] = [];
  function visit(path: string): void {
    const key = realPath(path);
    if (seen.has(key)) return;
    seen.add(key);
    const project = readTsProject(path);
    for (const reference of project.references) visit(reference);
    projects.push(project);
  }
  for (const root of roots) visit(root);
  return projects;
}

/** Extended options first, so that nearer ones win. */
function collect(path: string, chain: string[], merged: Record<string, unknown>): void {
  if (chain.includes(path)) return;
  chain.push(path);
  const raw = readRaw(path);
  for (const base of [raw.extends].flat()) {
    if (typeof base === "string") collect(extendedFile(base, path), chain, merged);
  }
  Object.assign(merged, raw.compilerOptions);
}

function extendedFile(base: string, from: string): string {
  if (base.startsWith(".") || isAbsolute(base)) {
    const target = resolve(dirname(from), base);
    return target.endsWith(".json") || isFile(target) ? target : `${target}.json`;
  }
  const near = createRequire(from);
  for (const name of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      const found = near.resolve(name);
      if (found.endsWith(".json")) return found;
    } catch {
      // the next spelling
    }
  }
  // Where it would be, so that its coming is noticed.
  return join(dirname(from), "node_modules", base);
}

/** A reference names a configuration file or the directory that holds one. */
function configFile(target: string): string {
  return target.endsWith(".json") ? target : join(target, "tsconfig.json");
}

function readRaw(path: string): RawConfig {
  try {
    const value = parseJsonc(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null ? (value as RawConfig) : {};
  } catch {
    return {};
  }
}

function isFile(path: string): boolean {
  return statIfAny(path)?.isFile() === true;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
