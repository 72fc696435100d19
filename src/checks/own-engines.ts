// The three engines on a developer's own project, side by side, with what earlier checks have learnt.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import type { Diagnosis, Diagnostic, EngineStatus } from "../ports/check-engine.ts";
import type { Locale } from "../ports/texts.ts";
import type { Processes } from "../process/spawn.ts";
import { openCache } from "./cache.ts";
import { bundledEngine, type EnginePackage, projectEngine } from "./engine-package.ts";
import { type EngineLimits, type EngineName, engineNames } from "./limits.ts";
import { checkMessages } from "./messages.ts";
import type { OwnContext, OwnOutcome } from "./own-context.ts";
import { checkWithBiome, checkWithOxlint } from "./own-lint.ts";
import { checkWithTsc } from "./own-tsc.ts";
import { createSnapshots } from "./snapshots.ts";
import type { Tree } from "./tree.ts";

export interface OwnOptions {
  /** The project's real path. */
  readonly root: string;
  /** Where results are kept; null keeps them in memory. */
  readonly cacheDir: string | null;
  readonly locale: Locale;
  readonly run: Processes["run"];
  readonly limits: EngineLimits;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly findEngine?: (engine: EngineName) => EnginePackage | null;
}

export interface OwnEngines {
  diagnose(tree: Tree, files: readonly string[], signal?: AbortSignal): Promise<Diagnosis>;
  /** Whether any result of the file is remembered: it was there once. */
  knows(file: string): boolean;
  /** True once, if the cache file was unreadable. */
  takeRebuilt(): boolean;
}

const checks: Readonly<
  Record<EngineName, (context: OwnContext, engine: EnginePackage, files: readonly string[]) => Promise<OwnOutcome>>
> = { oxlint: checkWithOxlint, tsc: checkWithTsc, biome: checkWithBiome };

/** tsc gets a head start: the others are over before it is. */
const slowestFirst: readonly EngineName[] = ["tsc", "oxlint", "biome"];

export function createOwnEngines(options: OwnOptions): OwnEngines {
  const cache = openCache(options.cacheDir);
  const snapshots = createSnapshots({ known: cache.snapshots, now: options.now });
  const known = new Set<string>([...snapshots.entries()].map(([path]) => path));
  const messages = checkMessages(options.locale);
  const bundled = new Map<EngineName, EnginePackage | null>();

  /** The project's may be installed or replaced between two checks; ours stays. */
  function find(engine: EngineName): EnginePackage | null {
    if (options.findEngine !== undefined) return options.findEngine(engine);
    const own = projectEngine(engine, options.root);
    if (own !== null) return own;
    if (!bundled.has(engine)) bundled.set(engine, bundledEngine(engine));
    return bundled.get(engine) ?? null;
  }

  async function diagnose(tree: Tree, files: readonly string[], signal?: AbortSignal): Promise<Diagnosis> {
    snapshots.lookAgain();
    for (const file of files) known.add(options.root + sep + file);
    let scratch: string | null = null;
    let ran = false;
    const context: OwnContext = {
      ...options,
      tree,
      snapshots,
      cache,
      run: (request) => {
        ran = true;
        return options.run(request);
      },
      // Real paths, because tsc prints these.
      scratch: () => (scratch ??= mkdtempSync(join(realpathSync(tmpdir()), "aicr-checks-"))),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      const outcomes = await Promise.all(
        slowestFirst.map(async (name): Promise<readonly [EngineName, OwnOutcome]> => {
          const engine = find(name);
          if (engine === null) return [name, { status: "error", fault: { kind: "missing" } }];
          return [name, await checks[name](context, engine, files)];
        }),
      );
      return gather(outcomes);
    } finally {
      if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
      if (snapshots.takeDirty() || ran) cache.save(snapshots.entries());
    }
  }

  function gather(outcomes: readonly (readonly [EngineName, OwnOutcome])[]): Diagnosis {
    const engines: Record<string, EngineStatus> = {};
    const diagnostics: Diagnostic[] = [];
    for (const name of engineNames) {
      const outcome = outcomes.find(([engine]) => engine === name)?.[1];
      if (outcome === undefined) continue;
      if (outcome.status === "error") engines[name] = { status: "error", message: messages.fault(name, outcome.fault) };
      else engines[name] = { status: outcome.status };
      if (outcome.status === "ok") for (const found of outcome.diagnostics) diagnostics.push(found);
    }
    return { engines, diagnostics };
  }

  return { diagnose, knows: (file) => known.has(join(options.root, file)), takeRebuilt: cache.takeRebuilt };
}
