// What a run of tsc was made from: files, settings, manifests, and the names that an import could have meant instead.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { EnginePackage } from "./engine-package.ts";
import { engineKey, type OwnContext } from "./own-context.ts";
import { contentHash } from "./snapshots.ts";
import { statIfAny } from "./stat.ts";

/** A file whose appearance can change what an import means. */
const resolvable = /\.(?:[cm]?[jt]sx?|json)$/i;

/** Every file that the result was made from; null if one of them changed meanwhile, so that nothing can be said. */
export function inputsAfter(
  context: OwnContext,
  engine: EnginePackage,
  chain: readonly string[],
  listed: readonly string[],
  before: ReadonlyMap<string, string | null>,
  startedAt: number,
): Readonly<Record<string, string | null>> | null {
  const inputs: Record<string, string | null> = {};
  const paths = new Set([...chain, ...manifests(context, listed), ...listed]);
  for (const path of paths) {
    // The engine's own libraries change with its version.
    if (path.startsWith(engine.directory + sep) || path.startsWith(context.scratch() + sep)) continue;
    const hash = context.snapshots.hash(path);
    const stable = before.has(path)
      ? before.get(path) === hash
      : hash === null || context.snapshots.untouchedSince(path, startedAt);
    if (!stable) return null;
    inputs[path] = hash;
  }
  return inputs;
}

/** The manifests that decide what a package's name means: of packages in the program, and of those that the project names. */
function manifests(context: OwnContext, listed: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of listed) {
    const match = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path);
    if (match !== null) found.add(join(match[0], "package.json"));
  }
  for (const { path, ignored } of context.tree.files) {
    if (ignored || !(path === "package.json" || path.endsWith("/package.json"))) continue;
    const manifest = join(context.root, path);
    found.add(manifest);
    for (const name of dependencies(manifest)) found.add(join(dirname(manifest), "node_modules", name, "package.json"));
  }
  return found;
}

function dependencies(manifest: string): string[] {
  try {
    const read = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, Record<string, unknown> | undefined>;
    return ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((group) =>
      Object.keys(read[group] ?? {}),
    );
  } catch {
    return [];
  }
}

/** Engine, names of all files that an import could mean, and what is installed. */
export function sharedKey(context: OwnContext, engine: EnginePackage): string {
  const names = context.tree.files.filter((file) => resolvable.test(file.path)).map((file) => file.path);
  const above = upwards(dirname(context.root)).map((directory) => join(directory, "node_modules"));
  const installed = [...context.tree.nodeModules, ...above].map(installedIn);
  return contentHash([engineKey(engine), ...names, ...installed].join("\0"));
}

/** Names of what is installed: a package that appears can resolve an import that failed before. */
function installedIn(directory: string): string {
  if (statIfAny(directory) === undefined) return "";
  const names = list(directory);
  return [
    directory,
    ...names,
    ...names.filter((name) => name.startsWith("@")).flatMap((scope) => list(join(directory, scope))),
  ].join("\n");
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}

/** The directory and all above it. */
export function upwards(from: string): string[] {
  const directories = [from];
  for (let directory = from; dirname(directory) !== directory; directory = dirname(directory)) {
    directories.push(dirname(directory));
  }
  return directories;
}
