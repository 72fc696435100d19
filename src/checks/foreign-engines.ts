// Engines on code of strangers: our versions, our settings, on a copy; nothing of the repository is executed or obeyed.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnosis, Diagnostic } from "../ports/check-engine.ts";
import type { Locale } from "../ports/texts.ts";
import type { Processes } from "../process/spawn.ts";
import { createColumns } from "./columns.ts";
import { bundledEngine, type EnginePackage } from "./engine-package.ts";
import { chunkArguments, type EngineOutcome, engineEnvironment, failed, runEngine } from "./engine-run.ts";
import { biomeFiles, biomeReporter, parseBiome } from "./engines/biome.ts";
import { biomeSettings, oxlintSettings } from "./engines/foreign-settings.ts";
import { oxlintFiles, parseOxlint } from "./engines/oxlint.ts";
import { parseTsc, tscFiles } from "./engines/tsc.ts";
import { onlyCertain, partialOptions } from "./engines/tsc-partial.ts";
import { type EngineLimits, type EngineName, engineNames } from "./limits.ts";
import { checkMessages } from "./messages.ts";
import { createMirror, type Mirror } from "./mirror.ts";

export interface ForeignOptions {
  readonly run: Processes["run"];
  readonly limits: EngineLimits;
  /** Language of the engines' status messages. */
  readonly locale: Locale;
  /** Where copies are made. */
  readonly scratchDir?: string;
  /** Which engine to start; ours, but for tests. Null says that it is not installed. */
  readonly findEngine?: (engine: EngineName) => EnginePackage | null;
}

interface Job {
  readonly mirror: Mirror;
  readonly files: readonly string[];
  readonly engine: EnginePackage;
  readonly options: ForeignOptions;
  readonly signal: AbortSignal | undefined;
}

const engines: Readonly<
  Record<EngineName, { readonly fits: RegExp; readonly run: (job: Job) => Promise<EngineOutcome> }>
> = {
  oxlint: { fits: oxlintFiles, run: runOxlint },
  tsc: { fits: tscFiles, run: runTsc },
  biome: { fits: biomeFiles, run: runBiome },
};

/** Runs the three engines side by side on the files that each understands. Never rejects but for a full disk. */
export async function diagnoseForeign(
  root: string,
  files: readonly string[],
  options: ForeignOptions,
  signal?: AbortSignal,
): Promise<Diagnosis> {
  const mirror = await createMirror(root, files, options.scratchDir);
  try {
    const outcomes = await Promise.all(
      engineNames.map(async (name): Promise<[EngineName, EngineOutcome]> => {
        const fitting = mirror.files.filter((file) => engines[name].fits.test(file));
        if (fitting.length === 0) return [name, { status: "ok", diagnostics: [] }];
        const engine = (options.findEngine ?? bundledEngine)(name);
        if (engine === null) return [name, { status: "error", fault: { kind: "missing" } }];
        return [name, await engines[name].run({ mirror, files: fitting, engine, options, signal })];
      }),
    );
    const messages = checkMessages(options.locale);
    return {
      engines: Object.fromEntries(
        outcomes.map(([name, outcome]) => [
          name,
          outcome.status === "ok"
            ? { status: "ok" as const }
            : { status: "error" as const, message: messages.fault(name, outcome.fault) },
        ]),
      ),
      diagnostics: withoutEchoes(
        outcomes.flatMap(([, outcome]) => (outcome.status === "ok" ? outcome.diagnostics : [])),
      ),
    };
  } finally {
    await mirror.remove();
  }
}

async function runOxlint(job: Job): Promise<EngineOutcome> {
  const settings = await writeSettings(job.mirror, "oxlint.json", oxlintSettings);
  const flags = ["-c", settings, "--disable-nested-config", "--no-ignore", "--format", "json", "--"];
  const columns = createColumns(job.mirror.root);
  return inChunks(job, flags, (stdout) => parseOxlint(stdout, columns, new Set()));
}

async function runBiome(job: Job): Promise<EngineOutcome> {
  // biome takes a directory and looks for biome.json in it.
  await writeSettings(job.mirror, "biome.json", biomeSettings);
  const reporter = biomeReporter(job.engine.version);
  const flags = [
    "lint",
    `--config-path=${job.mirror.settings}`,
    `--reporter=${reporter}`,
    "--max-diagnostics=none",
    "--diagnostic-level=warn",
    "--no-errors-on-unmatched",
    "--colors=off",
    "--",
  ];
  const columns = createColumns(job.mirror.root);
  return inChunks(job, flags, (stdout) => parseBiome(stdout, columns));
}

async function runTsc(job: Job): Promise<EngineOutcome> {
  const started = performance.now();
  const first = await compile(job, job.files, 0);
  if (first.status === "error") return first;
  // tsc stops at the first phase that complains: one file that does not parse hides what is wrong in all the others.
  const broken = new Set(first.diagnostics.filter((found) => /^TS1\d{3}$/.test(found.rule)).map((found) => found.file));
  const rest = job.files.filter((file) => !broken.has(file));
  if (broken.size === 0 || rest.length === 0) return first;
  const second = await compile(job, rest, performance.now() - started);
  if (second.status === "error") return second;
  const seen = first.diagnostics.filter((found) => broken.has(found.file));
  return { status: "ok", diagnostics: [...seen, ...second.diagnostics] };
}

async function compile(job: Job, files: readonly string[], spentMs: number): Promise<EngineOutcome> {
  const paths = files.map((file) => join(job.mirror.root, file));
  const settings = await writeSettings(job.mirror, "tsconfig.json", { compilerOptions: partialOptions, files: paths });
  const text = await start(job, ["-p", settings, "--pretty", "false"], spentMs);
  if (text.status === "error") return text;
  const output = parseTsc(text.stdout);
  if (text.code !== 0 && output.diagnostics.length === 0) {
    return failed(text.code, output.globals[0]?.message ?? `${text.stdout}\n${text.stderr}`);
  }
  return { status: "ok", diagnostics: onlyCertain(output.diagnostics) };
}

async function inChunks(
  job: Job,
  flags: readonly string[],
  parse: (stdout: string) => Diagnostic[] | null,
): Promise<EngineOutcome> {
  const diagnostics: Diagnostic[] = [];
  for (const files of chunkArguments(job.files)) {
    const text = await start(job, [...flags, ...files]);
    if (text.status === "error") return text;
    const found = parse(text.stdout);
    if (found === null) return failed(text.code, text.stderr.trim() === "" ? text.stdout : text.stderr);
    diagnostics.push(...found);
  }
  return { status: "ok", diagnostics };
}

/** Several parsers stumble over one mistake: tsc's word stands, else oxlint's. */
function withoutEchoes(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const errorsOf = (engine: EngineName): ReadonlySet<string> =>
    new Set(
      diagnostics
        .filter((found) => found.engine === engine && found.severity === "error")
        .map((found) => `${found.line}:${found.file}`),
    );
  const tsc = errorsOf("tsc");
  const oxlint = errorsOf("oxlint");
  return diagnostics.filter((found) => {
    if (found.engine === "tsc" || !isGrammar(found.rule)) return true;
    const place = `${found.line}:${found.file}`;
    return !tsc.has(place) && !(found.engine === "biome" && oxlint.has(place));
  });
}

function isGrammar(rule: string): boolean {
  return rule === "syntax" || rule === "parse" || /^TS\d+$/.test(rule);
}

function start(job: Job, args: readonly string[], spentMs = 0): ReturnType<typeof runEngine> {
  return runEngine(
    {
      argv: [...job.engine.command, ...args],
      cwd: job.mirror.root,
      env: engineEnvironment(process.env, job.mirror.settings),
    },
    {
      run: job.options.run,
      engine: job.engine.engine,
      limits: job.options.limits,
      remainingMs: job.options.limits.deadlineMs[job.engine.engine] - spentMs,
      ...(job.signal === undefined ? {} : { signal: job.signal }),
    },
  );
}

async function writeSettings(mirror: Mirror, name: string, settings: unknown): Promise<string> {
  await mkdir(mirror.settings, { recursive: true });
  const path = join(mirror.settings, name);
  await writeFile(path, JSON.stringify(settings));
  return path;
}
