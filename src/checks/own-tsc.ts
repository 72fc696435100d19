// tsc on a developer's own project: whole programs, run again only when something that a program was made from has changed.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, parse, relative, sep } from "node:path";
import type { Diagnostic } from "../ports/check-engine.ts";
import type { ProgramRecord } from "./cache.ts";
import type { EnginePackage } from "./engine-package.ts";
import { failed } from "./engine-run.ts";
import { parseTsc, tscFiles } from "./engines/tsc.ts";
import { type OwnContext, type OwnOutcome, startEngine } from "./own-context.ts";
import { contentHash } from "./snapshots.ts";
import { inputsAfter, sharedKey, upwards } from "./tsc-inputs.ts";
import { closure, type TsProject } from "./tsconfig.ts";

/** One invocation of tsc. */
interface Program {
  /** The configuration file; `""` for files without one. */
  readonly project: string;
  readonly chain: readonly string[];
  readonly args: () => readonly string[];
  /** What `args` says, without the scratch directory's name. */
  readonly key: string;
}

type ProgramOutcome = Exclude<OwnOutcome, { status: "disabled" }>;

/** Disabled where the project has neither TypeScript files nor a tsconfig.json. */
export async function checkWithTsc(
  context: OwnContext,
  engine: EnginePackage,
  files: readonly string[],
): Promise<OwnOutcome> {
  const all = context.tree.files;
  const hasTypeScript = all.some((file) => !file.ignored && tscFiles.test(file.path));
  if (!hasTypeScript && !all.some((file) => file.path === "tsconfig.json")) return { status: "disabled" };

  const requested = new Set(files);
  const programs = plan(context, files);
  if (programs.length === 0) return { status: "ok", diagnostics: [] };
  const shared = sharedKey(context, engine);
  const started = performance.now();
  const found = new Map<string, Diagnostic>();
  for (const program of programs) {
    const known = lookUp(context, program, shared);
    const outcome =
      known === null
        ? await compile(context, engine, program, shared, performance.now() - started)
        : { status: "ok" as const, diagnostics: known.diagnostics };
    if (outcome.status === "error") return outcome;
    const blocked = isBlocked(context, program, outcome.diagnostics);
    for (const diagnostic of outcome.diagnostics) {
      // A file of two programs is complained about twice.
      if (blocked || requested.has(diagnostic.file)) found.set(Object.values(diagnostic).join("\0"), diagnostic);
    }
  }
  return { status: "ok", diagnostics: [...found.values()] };
}

/**
 * tsc stops at the first phase that complains. A syntax error or a wrong option hides all that is wrong with types, so it is
 * shown wherever it is: the requested files have not been checked.
 */
function isBlocked(context: OwnContext, program: Program, diagnostics: readonly Diagnostic[]): boolean {
  const settings = new Set(program.chain.map((path) => relativeTo(context, path)));
  return (
    diagnostics.length > 0 && diagnostics.every((found) => /^TS1\d{3}$/.test(found.rule) || settings.has(found.file))
  );
}

/** Every project that a requested file may belong to: the nearest configuration's, and all that it references. */
function plan(context: OwnContext, files: readonly string[]): Program[] {
  const configs = new Set(
    context.tree.files
      .filter((file) => !file.ignored && (file.path === "tsconfig.json" || file.path.endsWith("/tsconfig.json")))
      .map((file) => dirname(file.path)),
  );
  const roots = new Set<string>();
  const alone: string[] = [];
  for (const file of files) {
    if (!tscFiles.test(file)) continue;
    const home = nearest(configs, dirname(file));
    if (home === null) alone.push(file);
    else roots.add(join(context.root, home, "tsconfig.json"));
  }
  // The root's own configuration covers JavaScript too, and may reach files below other configurations.
  if (files.length > 0 && configs.has(".")) roots.add(join(context.root, "tsconfig.json"));
  const programs = closure([...roots])
    .filter((project) => !project.isSolution && existsSync(project.path))
    .map((project) => configured(context, project));
  return alone.length === 0 ? programs : [...programs, unconfigured(context, alone)];
}

function nearest(configs: ReadonlySet<string>, from: string): string | null {
  for (let directory = from; ; directory = dirname(directory)) {
    if (configs.has(directory)) return directory;
    if (directory === "." || directory === "/") return null;
  }
}

const always = ["--noEmit", "--pretty", "false", "--listFiles"];

function configured(context: OwnContext, project: TsProject): Program {
  const base = { project: relativeTo(context, project.path), chain: project.chain };
  if (project.references.length > 0) {
    return { ...base, key: "references", args: () => ["-p", withoutReferences(context, project), ...always] };
  }
  // An incremental project would write its build info even with --noEmit, and an old one has been known to hide errors.
  const whole = project.isIncremental
    ? ["--composite", "false", "--incremental", "false", "--tsBuildInfoFile", "null"]
    : [];
  const declared = project.isComposite ? ["--declaration", "true"] : [];
  const args = ["-p", project.path, ...always, ...whole, ...declared];
  return { ...base, key: args.slice(2).join(" "), args: () => args };
}

/**
 * A project that references others is checked through a configuration of ours that extends it: references are not inherited,
 * so that imports reach the others' sources instead of outputs that nobody has built, and nothing is written.
 */
function withoutReferences(context: OwnContext, project: TsProject): string {
  const home = join(context.scratch(), contentHash(project.path));
  mkdirSync(home, { recursive: true });
  const own = dirname(project.path);
  const packages = upwards(own).map((directory) => join(directory, "node_modules"));
  // `types` are looked up from the configuration's place.
  const installed = packages.find((directory) => existsSync(directory));
  if (installed !== undefined && !existsSync(join(home, "node_modules"))) {
    symlinkSync(installed, join(home, "node_modules"), "junction");
  }
  const settings = {
    extends: project.path,
    compilerOptions: {
      composite: false,
      incremental: false,
      tsBuildInfoFile: null,
      rootDir: parse(own).root,
      ...(project.isComposite ? { declaration: true } : {}),
      ...(project.hasTypeRoots ? {} : { typeRoots: packages.map((directory) => join(directory, "@types")) }),
    },
  };
  const path = join(home, "tsconfig.json");
  writeFileSync(path, JSON.stringify(settings));
  return path;
}

/** Files that no configuration speaks for: tsc's own defaults, and what a bundler would accept. */
function unconfigured(context: OwnContext, files: readonly string[]): Program {
  const compilerOptions = {
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    jsx: "preserve",
    skipLibCheck: true,
    rootDir: parse(context.root).root,
    typeRoots: upwards(context.root).map((directory) => join(directory, "node_modules", "@types")),
  };
  return {
    project: "",
    chain: [],
    key: JSON.stringify([compilerOptions, files]),
    args: () => {
      const path = join(context.scratch(), "tsconfig.json");
      const absolute = files.map((file) => join(context.root, file));
      writeFileSync(path, JSON.stringify({ compilerOptions, files: absolute }));
      return ["-p", path, ...always];
    },
  };
}

function lookUp(context: OwnContext, program: Program, shared: string): ProgramRecord | null {
  // tsc enters linked directories, whose new files nobody here would see.
  if (context.tree.hasLinks) return null;
  const key = programKey(program, shared);
  for (const record of context.cache.programs(program.project)) {
    if (record.key !== key) continue;
    if (Object.entries(record.inputs).every(([path, hash]) => context.snapshots.hash(path) === hash)) return record;
  }
  return null;
}

async function compile(
  context: OwnContext,
  engine: EnginePackage,
  program: Program,
  shared: string,
  spentMs: number,
): Promise<ProgramOutcome> {
  const startedAt = context.now();
  const before = hashesBefore(context, program);
  const text = await startEngine(context, engine, program.args(), spentMs);
  if (text.status === "error") return text;
  const output = parseTsc(text.stdout);
  // "No inputs were found": a configuration that others extend.
  const faults = output.globals.filter((global) => global.rule !== "TS18003");
  if (output.diagnostics.length === 0 && (faults.length > 0 || (text.code !== 0 && output.globals.length === 0))) {
    return failed(
      text.code,
      faults[0] === undefined ? `${text.stdout}\n${text.stderr}` : `${faults[0].rule} ${faults[0].message}`,
    );
  }
  context.snapshots.lookAgain();
  const diagnostics = output.diagnostics.map((found) => ({
    ...found,
    file: relativeTo(context, join(context.root, found.file)),
  }));
  const inputs = inputsAfter(context, engine, program.chain, output.inputs, before, startedAt);
  if (inputs !== null && shared === sharedKey(context, engine)) {
    context.cache.keepProgram({ project: program.project, key: programKey(program, shared), inputs, diagnostics });
  }
  return { status: "ok", diagnostics };
}

/** What the project's files contained when tsc began to read. */
function hashesBefore(context: OwnContext, program: Program): ReadonlyMap<string, string | null> {
  const known = new Map<string, string | null>();
  for (const path of program.chain) known.set(path, context.snapshots.hash(path));
  for (const { path } of context.tree.files) {
    if (tscFiles.test(path)) known.set(join(context.root, path), context.snapshots.hash(join(context.root, path)));
  }
  return known;
}

function programKey(program: Program, shared: string): string {
  return contentHash(`${shared}\0${program.key}`);
}

function relativeTo(context: OwnContext, path: string): string {
  return relative(context.root, path).split(sep).join("/");
}
