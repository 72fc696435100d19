// oxlint and biome on a developer's own project: only files whose result is not known run.
import { writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Diagnostic } from "../ports/check-engine.ts";
import { createColumns } from "./columns.ts";
import type { EnginePackage } from "./engine-package.ts";
import { chunkArguments, failed } from "./engine-run.ts";
import { biomeFiles, biomeReporter, parseBiome } from "./engines/biome.ts";
import { oxlintSettings } from "./engines/foreign-settings.ts";
import { oxlintFiles, oxlintFlags, parseFixableRules, parseOxlint, takesOurSettings } from "./engines/oxlint.ts";
import { biomeConfig, type LintConfig, oxlintConfig } from "./lint-config.ts";
import { engineKey, type OwnContext, type OwnOutcome, startEngine } from "./own-context.ts";
import { contentHash } from "./snapshots.ts";

interface Linter {
  readonly engine: EnginePackage;
  readonly config: LintConfig;
  readonly flags: () => readonly string[];
  readonly parse: (stdout: string) => Promise<readonly Diagnostic[] | null> | readonly Diagnostic[] | null;
}

/** @param files the requested files, relative to the root. */
export async function checkWithOxlint(
  context: OwnContext,
  engine: EnginePackage,
  files: readonly string[],
): Promise<OwnOutcome> {
  const config = oxlintConfig(context.root, paths(context));
  const columns = createColumns(context.root);
  return lint(
    context,
    files.filter((file) => oxlintFiles.test(file)),
    {
      engine,
      config,
      flags: () => {
        const own = [...oxlintFlags(engine.version), "--"];
        // A project that has an older oxlint and no settings means that version's own defaults.
        if (config.present || !takesOurSettings(engine.version)) return own;
        const settings = join(context.scratch(), "oxlint.json");
        writeFileSync(settings, JSON.stringify(oxlintSettings));
        return ["-c", settings, "--disable-nested-config", ...own];
      },
      async parse(stdout) {
        const found = parseOxlint(stdout, columns, new Set());
        // Newer versions list fixes themselves; for others the rules that promise one are asked for, once a version.
        if (found === null || found.length === 0 || stdout.includes('"fixes":')) return found;
        return parseOxlint(stdout, columns, new Set(await fixableRules(context, engine)));
      },
    },
  );
}

/** Disabled where the project has no settings for biome: it formats and lints by project, not by habit. */
export async function checkWithBiome(
  context: OwnContext,
  engine: EnginePackage,
  files: readonly string[],
): Promise<OwnOutcome> {
  const config = biomeConfig(context.root, paths(context), engine.version);
  if (!config.present) return { status: "disabled" };
  const columns = createColumns(context.root);
  return lint(
    context,
    files.filter((file) => biomeFiles.test(file)),
    {
      engine,
      config,
      flags: () => [
        "lint",
        `--reporter=${biomeReporter(engine.version)}`,
        // Before 1.9 a number was wanted.
        `--max-diagnostics=${/^1\.[0-8]\./.test(engine.version) ? "200" : "none"}`,
        "--diagnostic-level=warn",
        "--no-errors-on-unmatched",
        "--colors=off",
        "--",
      ],
      parse: (stdout) => parseBiome(stdout, columns),
    },
  );
}

async function lint(context: OwnContext, files: readonly string[], linter: Linter): Promise<OwnOutcome> {
  const { cache, snapshots, root } = context;
  const hashes = new Map<string, string>();
  for (const file of files) {
    // Not `join`: these are normal already, and there may be thousands.
    const hash = snapshots.hash(root + sep + file);
    if (hash !== null) hashes.set(file, hash);
  }
  const key = linter.config.scope === "program" ? null : lintKey(context, linter);
  const found: Diagnostic[] = [];
  const missing: string[] = [];
  for (const [file, hash] of hashes) {
    const known = key === null ? null : cache.lint(key, file, hash);
    if (known === null) missing.push(file);
    else for (const diagnostic of known) found.push(diagnostic);
  }
  if (missing.length === 0) return { status: "ok", diagnostics: found };

  const startedAt = context.now();
  const started = performance.now();
  const flags = linter.flags();
  const fresh: Diagnostic[] = [];
  for (const chunk of chunkArguments(missing)) {
    const text = await startEngine(context, linter.engine, [...flags, ...chunk], performance.now() - started);
    if (text.status === "error") return text;
    const diagnostics = await linter.parse(text.stdout);
    if (diagnostics === null) return failed(text.code, text.stderr.trim() === "" ? text.stdout : text.stderr);
    fresh.push(...diagnostics);
  }
  context.snapshots.lookAgain();
  if (key !== null && key === lintKey(context, linter)) keep(context, key, missing, hashes, fresh, startedAt);
  const requested = new Set(missing);
  return { status: "ok", diagnostics: [...found, ...fresh.filter((diagnostic) => requested.has(diagnostic.file))] };
}

/** A file that changed while the engine ran has no known result. */
function keep(
  context: OwnContext,
  key: string,
  files: readonly string[],
  hashes: ReadonlyMap<string, string>,
  diagnostics: readonly Diagnostic[],
  startedAt: number,
): void {
  const byFile = new Map<string, Diagnostic[]>(files.map((file) => [file, []]));
  for (const diagnostic of diagnostics) byFile.get(diagnostic.file)?.push(diagnostic);
  for (const [file, found] of byFile) {
    const path = join(context.root, file);
    const hash = hashes.get(file);
    if (hash === undefined) continue;
    if (context.snapshots.untouchedSince(path, startedAt) || context.snapshots.hash(path) === hash) {
      context.cache.keepLint(key, file, hash, found);
    }
  }
}

/** Engine, version, settings — and every file's content where results depend on more than the file. */
function lintKey(context: OwnContext, linter: Linter): string {
  const parts = [engineKey(linter.engine), linter.config.present ? "own" : JSON.stringify(oxlintSettings)];
  for (const path of linter.config.files) parts.push(path, context.snapshots.hash(path) ?? "absent");
  if (linter.config.scope === "project") {
    for (const path of paths(context)) {
      if (relevant.test(path)) parts.push(path, context.snapshots.hash(join(context.root, path)) ?? "absent");
    }
  }
  return `${linter.engine.engine}:${contentHash(parts.join("\0"))}`;
}

const relevant = /\.(?:[cm]?[jt]sx?|jsonc?|css|graphqls?|gql|grit|vue|svelte|astro)$/i;

async function fixableRules(context: OwnContext, engine: EnginePackage): Promise<readonly string[]> {
  const key = engineKey(engine);
  const known = context.cache.fixable(key);
  if (known !== null) return known;
  const text = await startEngine(context, engine, ["--rules", "--format", "json"], 0);
  const rules = text.status === "ok" ? [...parseFixableRules(text.stdout)] : [];
  // A listing that failed is asked for again.
  if (rules.length > 0) context.cache.keepFixable(key, rules);
  return rules;
}

const pathsOf = new WeakMap<OwnContext["tree"], readonly string[]>();

/** The same list for the same tree. */
function paths({ tree }: OwnContext): readonly string[] {
  const known = pathsOf.get(tree) ?? tree.files.map((file) => file.path);
  pathsOf.set(tree, known);
  return known;
}
