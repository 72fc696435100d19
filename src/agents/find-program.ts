// Where an agent's program lies on this machine, what it runs from, and which version it is; nothing of it is started.
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";

export interface FoundProgram {
  /** Absolute, without links: a sandbox shows the file, not the links to it. */
  readonly path: string;
  /** What must be seen for it to run: its packages, or the file alone. */
  readonly runsFrom: readonly string[];
  /** As the package tells that it comes in. */
  readonly version?: string;
}

/**
 * @param program a name that is looked for in the folders of `searched`, or an absolute path.
 * @param searched in the form of PATH.
 * @returns null where there is no such program that may be run.
 */
export function findProgram(program: string, searched: string): FoundProgram | null {
  const folders = searched.split(delimiter).filter(isAbsolute);
  const candidates = isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program));
  const found = candidates.find(isRunnable);
  if (found === undefined) return null;
  const path = realpathSync(found);
  const version = packageVersion(path);
  return {
    path,
    runsFrom: [outermostPackages(path) ?? path],
    ...(version === undefined ? {} : { version }),
  };
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The outermost `node_modules` that a file lies in: its package may need any of its neighbours. */
function outermostPackages(path: string): string | null {
  let outermost: string | null = null;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === "node_modules") outermost = folder;
  }
  return outermost;
}

/** Of the nearest package.json above a file inside `node_modules`; elsewhere that file may be of anything. */
function packageVersion(path: string): string | undefined {
  if (outermostPackages(path) === null) return undefined;
  for (let folder = dirname(path); basename(folder) !== "node_modules"; folder = dirname(folder)) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
      if (typeof version === "string") return version.slice(0, 100);
    } catch {
      // One further up, then.
    }
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}
