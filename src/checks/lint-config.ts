// The settings that oxlint and biome find around a project: which files speak, and whether a file's result depends on others.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { parseJsonc } from "./jsonc.ts";
import { statIfAny } from "./stat.ts";

export interface LintConfig {
  /** Whether the project has settings of its own for the engine. */
  readonly present: boolean;
  /** Every file that the engine's result depends on besides the linted ones; absent ones belong to it too. */
  readonly files: readonly string[];
  /**
   * `file`: a result depends on the file alone. `project`: some rule looks at other files, so any change runs it anew.
   * `program`: the settings are code, which may depend on anything; results are never kept.
   */
  readonly scope: "file" | "project" | "program";
}

const oxlintNames = [
  ".oxlintrc.json",
  ".oxlintrc.jsonc",
  "oxlint.config.ts",
  "oxlint.config.mts",
  "oxlint.config.js",
  "oxlint.config.mjs",
];
const biomeNames = ["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"];
/** Read by an engine beside its own settings. */
const oxlintBeside = [".eslintignore", ".oxlintignore"];
const biomeBeside = ["package.json", ".editorconfig", ".gitignore", ".ignore"];

/** @param inTree project-relative paths of all files of the project. */
export function oxlintConfig(root: string, inTree: readonly string[]): LintConfig {
  const found = settingsFiles(root, inTree, oxlintNames);
  const chain = withExtended(found);
  const text = chain.map(readText);
  return {
    present: found.length > 0,
    files: [...chain, ...settingsFiles(root, inTree, oxlintBeside)],
    scope:
      chain.some((path) => /\.[cm]?[jt]s$/.test(path)) || text.some((body) => /"jsPlugins"/.test(body))
        ? "program"
        : // The import plugin resolves other files; type-aware rules see the whole program.
          text.some((body) => /"import"|"import\/|"typeAware"|"typeCheck"/.test(body))
          ? "project"
          : "file",
  };
}

/**
 * What makes biome look beyond a file: whole domains, plugins, nursery rules, presets with everything, and the rules of the
 * `project` and `types` domains, each of which can be switched on by name alone.
 */
const biomeBeyond =
  /"(?:domains|nursery|plugins|all|noDeprecatedImports|noImportCycles|noPrivateImports|noUndeclaredDependencies|noUndeclaredEnvVars|noUnnecessaryConditions|noUnresolvedImports|noUntrustedLicenses|useArrayFind|useArraySortCompare|useConsistentEnumValueType|useImportExtensions|useJsonImportAttributes)"/;
/** The newest version whose rules the list above knows; of a later one, any rule may look at other files. */
const biomeKnown = [2, 6] as const;

/** @param version of the biome that will run. */
export function biomeConfig(root: string, inTree: readonly string[], version: string): LintConfig {
  const found = settingsFiles(root, inTree, biomeNames);
  const chain = withExtended(found);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewer = major > biomeKnown[0] || (major === biomeKnown[0] && minor > biomeKnown[1]);
  return {
    present: found.length > 0,
    files: [...chain, ...settingsFiles(root, inTree, biomeBeside)],
    scope: isNewer || chain.some((path) => biomeBeyond.test(readText(path))) ? "project" : "file",
  };
}

/** Files of these names in the project and in the directories above it, where engines look too. */
function settingsFiles(root: string, inTree: readonly string[], names: readonly string[]): string[] {
  const inside = named(inTree, names).map((path) => join(root, path));
  const above: string[] = [];
  for (let directory = dirname(root); ; directory = dirname(directory)) {
    above.push(...names.map((name) => join(directory, name)).filter((path) => readText(path) !== ""));
    if (dirname(directory) === directory) return [...inside, ...above];
  }
}

const namedBefore = new WeakMap<readonly string[], Map<readonly string[], readonly string[]>>();

/** Looked for once in each list: a project of thousands of files is asked again at every check. */
function named(inTree: readonly string[], names: readonly string[]): readonly string[] {
  const before = namedBefore.get(inTree) ?? new Map<readonly string[], readonly string[]>();
  namedBefore.set(inTree, before);
  const wanted = new Set(names);
  const found = before.get(names) ?? inTree.filter((path) => wanted.has(path.slice(path.lastIndexOf("/") + 1)));
  before.set(names, found);
  return found;
}

/** The files and everything they extend, by path or by package. */
function withExtended(files: readonly string[]): string[] {
  const chain: string[] = [];
  const visit = (path: string): void => {
    if (chain.includes(path)) return;
    chain.push(path);
    for (const base of extendedBy(path)) visit(base);
  };
  for (const file of files) visit(file);
  return chain;
}

function extendedBy(path: string): string[] {
  if (!/\.jsonc?$/.test(path)) return [];
  let value: { extends?: unknown } | null;
  try {
    value = parseJsonc(readText(path)) as { extends?: unknown } | null;
  } catch {
    return [];
  }
  return [value?.extends]
    .flat()
    .filter((base) => typeof base === "string" && base !== "//")
    .map((base) => locate(String(base), path));
}

function locate(base: string, from: string): string {
  if (base.startsWith(".") || isAbsolute(base) || base.endsWith(".json") || base.endsWith(".jsonc")) {
    const near = resolve(dirname(from), base);
    if (base.startsWith(".") || isAbsolute(base) || readText(near) !== "") return near;
  }
  try {
    return createRequire(from).resolve(base);
  } catch {
    return join(dirname(from), "node_modules", base);
  }
}

function readText(path: string): string {
  // Most of these are not there, and a failed read costs ten times a failed look.
  if (statIfAny(path)?.isFile() !== true) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
