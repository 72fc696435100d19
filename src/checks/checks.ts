// Checks of one project: paths in, clusters out, with the loops that the history shows.
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { Diagnosis } from "../ports/check-engine.ts";
import type { Locale } from "../ports/texts.ts";
import { type Processes, processes } from "../process/spawn.ts";
import { cacheDirectory } from "./cache.ts";
import { cluster, type NormalizedIssue } from "./cluster.ts";
import type { EnginePackage } from "./engine-package.ts";
import { createCheckEngines } from "./engines.ts";
import { type EngineLimits, type EngineName, engineLimits } from "./limits.ts";
import { createLoopLog } from "./loop-log.ts";
import { checkMessages } from "./messages.ts";
import { createOwnEngines } from "./own-engines.ts";
import { type PathCode, resolvePath } from "./paths.ts";
import { type CheckResponse, type MissingPath, statusOf } from "./response.ts";
import { statIfAny } from "./stat.ts";
import { createTreeReader, type Tree } from "./tree.ts";

export interface ChecksOptions {
  /**
   * `own`: the project's installed engines and settings if it has them, else ours; results are kept.
   * `foreign`: our engines and settings, nothing of the project obeyed or executed, nothing kept.
   */
  readonly trust: "own" | "foreign";
  /** The project's directory. */
  readonly root: string;
  /** English by default. */
  readonly locale?: Locale;
  /** Where results and the loop log are kept; by default in the user's cache; null keeps them in memory. */
  readonly cacheDir?: string | null;
  /** The engines inherit PATH and HOME of it; the process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: EngineLimits;
  readonly run?: Processes["run"];
  /** Which engine to start; by trust, but for tests. */
  readonly findEngine?: (engine: EngineName) => EnginePackage | null;
  /** Wall time in ms. */
  readonly now?: () => number;
  /** Hears what is worth a line on stderr. */
  readonly onNotice?: (text: string) => void;
}

export type CheckAnswer =
  | { readonly kind: "checked"; readonly response: CheckResponse; readonly issues: readonly NormalizedIssue[] }
  | { readonly kind: "refused"; readonly code: PathCode; readonly path: string; readonly message: string };

export interface LoopStatus {
  readonly looping: boolean;
  readonly signatures: readonly { readonly signature: string; readonly occurrences: number; readonly hint: string }[];
}

export interface Checks {
  /** Checks everything below the paths; the whole project by default. One check runs at a time, others wait. */
  check(paths?: readonly string[], signal?: AbortSignal): Promise<CheckAnswer>;
  /** The issues behind a reference of the newest check that did not fail; null if there is no such thing any more. */
  detail(reference: { readonly clusterId: string } | { readonly issueId: string }): readonly NormalizedIssue[] | null;
  loopStatus(): LoopStatus;
  /** The same project with a newest check of its own: two clients do not see each other's references. */
  session(): Checks;
}

/** Throws AppError `not_found` if `root` is no directory. */
export function createChecks(options: ChecksOptions): Checks {
  const root = realRoot(options.root);
  const locale = options.locale ?? "en";
  const messages = checkMessages(locale);
  const now = options.now ?? Date.now;
  const env = options.env ?? process.env;
  const cacheDir =
    options.trust === "foreign" ? null : options.cacheDir === undefined ? cacheDirectory(root, env) : options.cacheDir;
  const readTree = createTreeReader(root, now);
  const loops = createLoopLog(cacheDir === null ? null : join(cacheDir, "loops.jsonl"));
  const shared = {
    locale,
    run: options.run ?? processes.run,
    limits: options.limits ?? engineLimits,
    ...(options.findEngine === undefined ? {} : { findEngine: options.findEngine }),
  };
  const own = options.trust === "own" ? createOwnEngines({ ...shared, root, cacheDir, env, now }) : null;
  const foreign = createCheckEngines({ ...shared, trust: "foreign" });
  if (own?.takeRebuilt() === true) options.onNotice?.(messages.cacheRebuilt());

  let queue: Promise<unknown> = Promise.resolve();

  function diagnose(tree: Tree, files: readonly string[], signal?: AbortSignal): Promise<Diagnosis> {
    if (own !== null) return own.diagnose(tree, files, signal);
    return foreign.diagnose({ root, files, ...(signal === undefined ? {} : { signal }) });
  }

  async function checkNow(paths: readonly string[], signal?: AbortSignal): Promise<CheckAnswer> {
    const files = new Set<string>();
    const missing: MissingPath[] = [];
    const tree = readTree();
    for (const entry of paths) {
      const verdict = resolvePath(root, entry);
      if (verdict.kind === "file") files.add(verdict.path);
      else if (verdict.kind === "directory") {
        for (const file of below(tree, verdict.path, options.trust === "own")) files.add(file);
      } else if (verdict.code === "path_not_found") {
        missing.push({ path: entry, code: verdict.code, message: messages.path(verdict.code, entry) });
      } else return refuse(verdict.code, entry);
    }
    const gone = missing.map((entry) => entry.path.replaceAll("\\", "/").replace(/^(?:\.\/+)+/, ""));
    // A path that never was is a mistake; one that is gone is news.
    const [first] = missing;
    if (first !== undefined && files.size === 0 && !gone.some((path) => own?.knows(path) === true)) {
      return refuse(first.code, first.path);
    }

    const { engines, diagnostics } = await diagnose(tree, [...files], signal);
    const covered = new Set([...files, ...gone]);
    loops.observe(diagnostics, (engine, file) => {
      return engines[engine]?.status === "ok" && (covered.has(file) || !exists(root, file));
    });
    const found = cluster(diagnostics, messages);
    const status = statusOf(engines, found.issues.length);
    const looping = loops.looping().length;
    const response: CheckResponse = {
      schemaVersion: "1.1",
      status,
      engines,
      totalIssues: found.issues.length,
      clusters: found.clusters,
      truncated: found.truncated,
      loopWarning: looping === 0 ? null : messages.loopWarning(looping),
      ...(missing.length === 0 ? {} : { missing }),
    };
    return { kind: "checked", response, issues: found.issues };
  }

  function refuse(code: PathCode, path: string): CheckAnswer {
    return { kind: "refused", code, path, message: messages.path(code, path) };
  }

  function session(): Checks {
    let issues: readonly NormalizedIssue[] = [];
    return {
      check(paths = ["."], signal) {
        const answer = queue.then(async () => {
          const found = await checkNow(paths, signal);
          if (found.kind === "checked" && found.response.status !== "error") issues = found.issues;
          return found;
        });
        queue = answer.catch(() => undefined);
        return answer;
      },
      detail(reference) {
        const found = issues.filter((issue) =>
          "clusterId" in reference ? issue.clusterId === reference.clusterId : issue.issueId === reference.issueId,
        );
        return found.length === 0 ? null : found;
      },
      loopStatus() {
        const signatures = loops.looping().map((entry) => ({ ...entry, hint: messages.loopHint(entry.occurrences) }));
        return { looping: signatures.length > 0, signatures };
      },
      session,
    };
  }

  return session();
}

/** What git ignores is left out, but not on a stranger's word. */
function below(tree: Tree, directory: string, obeysIgnores: boolean): string[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  return tree.files
    .filter((file) => !(obeysIgnores && file.ignored) && file.path.startsWith(prefix))
    .map((file) => file.path);
}

function exists(root: string, file: string): boolean {
  return statIfAny(join(root, file)) !== undefined;
}

function realRoot(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // said below
  }
  throw new AppError("not_found", `There is no directory ${path}.`, {
    remedy: "Name the project's directory with --project.",
    reason: "project_not_found",
  });
}
