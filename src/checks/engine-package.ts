// Where an engine is installed, in which version, and how to start it without a shell and without its wrapper where possible.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { EngineName } from "./limits.ts";

export interface EnginePackage {
  readonly engine: EngineName;
  /** The version in the package's own package.json, never what a manifest asks for. */
  readonly version: string;
  /** Whose installation it is. */
  readonly origin: "project" | "bundled";
  /** The package's directory, links resolved. */
  readonly directory: string;
  readonly command: readonly [string, ...string[]];
}

const packageNames: Readonly<Record<EngineName, string>> = {
  oxlint: "oxlint",
  tsc: "typescript",
  biome: "@biomejs/biome",
};

/** The engine that we brought along; null if this installation lacks it. */
export function bundledEngine(engine: EngineName): EnginePackage | null {
  return fromManifest(engine, "bundled", resolveManifest(engine, import.meta.url));
}

/** The engine as the project has it installed, looked up from `root` like Node does; null if it has none. */
export function projectEngine(engine: EngineName, root: string): EnginePackage | null {
  for (let directory = root; ; directory = dirname(directory)) {
    const manifest = join(directory, "node_modules", packageNames[engine], "package.json");
    if (existsSync(manifest)) return fromManifest(engine, "project", manifest);
    if (dirname(directory) === directory) return null;
  }
}

function resolveManifest(engine: EngineName, from: string): string | null {
  try {
    return createRequire(from).resolve(`${packageNames[engine]}/package.json`);
  } catch {
    return null;
  }
}

function fromManifest(
  engine: EngineName,
  origin: "project" | "bundled",
  manifest: string | null,
): EnginePackage | null {
  if (manifest === null) return null;
  try {
    const path = realpathSync(manifest);
    const { version, bin } = JSON.parse(readFileSync(path, "utf8")) as { version?: unknown; bin?: unknown };
    if (typeof version !== "string") return null;
    const directory = dirname(path);
    const command = nativeBiome(engine, path) ?? script(directory, engine, bin);
    return command === null ? null : { engine, version, origin, directory, command };
  } catch {
    return null;
  }
}

function script(directory: string, engine: EngineName, bin: unknown): readonly [string, ...string[]] | null {
  const entry = typeof bin === "string" ? bin : (bin as Record<string, unknown> | undefined)?.[engine];
  return typeof entry === "string" ? [process.execPath, join(directory, entry)] : null;
}

/** biome's npm wrapper starts `ldd` and then the binary; the binary alone starts in a third of the time. */
function nativeBiome(engine: EngineName, manifest: string): readonly [string] | null {
  if (engine !== "biome") return null;
  const name = process.platform === "win32" ? "biome.exe" : "biome";
  try {
    return [createRequire(manifest).resolve(`@biomejs/cli-${process.platform}-${process.arch}${libc()}/${name}`)];
  } catch {
    return null;
  }
}

let knownLibc: string | undefined;

/** Asked once a process: the report takes tens of milliseconds. */
function libc(): string {
  if (process.platform !== "linux") return "";
  if (knownLibc === undefined) {
    const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
    knownLibc = report.header?.glibcVersionRuntime === undefined ? "-musl" : "";
  }
  return knownLibc;
}
