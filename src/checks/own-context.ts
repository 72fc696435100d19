// What one check of a developer's own project works with, and how an engine is started in it.
import type { Diagnostic } from "../ports/check-engine.ts";
import type { Processes } from "../process/spawn.ts";
import type { Cache } from "./cache.ts";
import type { EnginePackage } from "./engine-package.ts";
import { type EngineText, engineEnvironment, runEngine } from "./engine-run.ts";
import type { EngineLimits } from "./limits.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Tree } from "./tree.ts";

export interface OwnContext {
  /** The project's real path. */
  readonly root: string;
  readonly tree: Tree;
  readonly snapshots: Snapshots;
  readonly cache: Cache;
  readonly run: Processes["run"];
  readonly limits: EngineLimits;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A fresh directory for this check, made on first use. */
  readonly scratch: () => string;
  /** Wall time in ms. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/** Diagnostics of the requested files alone. */
export type OwnOutcome =
  | { readonly status: "ok"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "disabled" }
  | Extract<EngineText, { status: "error" }>;

export function startEngine(
  context: OwnContext,
  engine: EnginePackage,
  args: readonly string[],
  spentMs: number,
): Promise<EngineText> {
  return runEngine(
    {
      argv: [...engine.command, ...args],
      cwd: context.root,
      env: engineEnvironment(context.env, context.env["HOME"] ?? context.root),
    },
    {
      run: context.run,
      engine: engine.engine,
      limits: context.limits,
      remainingMs: context.limits.deadlineMs[engine.engine] - spentMs,
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    },
  );
}

/** What tells an engine from another: its place and version. */
export function engineKey(engine: EnginePackage): string {
  return `${engine.engine}@${engine.version} ${engine.directory}`;
}
