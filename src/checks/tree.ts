// The files of a project: walked once, and afterwards only where a directory has changed.
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { statIfAny } from "./stat.ts";

export interface TreeFile {
  /** Relative to the root, POSIX. */
  readonly path: string;
  /** Left out by a `.gitignore`. */
  readonly ignored: boolean;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  /** Absolute paths of the `node_modules` directories met; they are not entered. */
  readonly nodeModules: readonly string[];
  /** Whether a link to a directory was met; it is not followed, but tsc would. */
  readonly hasLinks: boolean;
  /** Changes whenever a file or directory appears, vanishes or is renamed, or what is ignored changes. */
  readonly version: number;
}

type Kind = "file" | "directory" | "link";

interface Directory {
  readonly identity: string;
  readonly entries: readonly { readonly name: string; readonly kind: Kind }[];
}

const neverEntered: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj"]);
/** A directory younger than this may change again within one tick of its clock. */
const youngMs = 2_100;

/** @param now wall time in ms, compared with directories' times. */
export function createTreeReader(root: string, now: () => number): () => Tree {
  const directories = new Map<string, Directory>();
  const rules = new Map<string, { readonly identity: string; readonly matcher: Ignore }>();
  let last: Tree | null = null;

  return function read() {
    let changed = last === null;
    const files: TreeFile[] = [];
    const nodeModules: string[] = [];
    let hasLinks = false;
    const above = ancestorRules();

    function visit(directory: string, prefix: string, scopes: readonly Scope[], ignored: boolean): void {
      const before = directories.get(directory);
      const listing = list(directory, before);
      if (listing === null) return;
      if (listing !== before) {
        changed ||= before === undefined || !sameEntries(before, listing);
        directories.set(directory, listing);
      }
      const hasRules = listing.entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file");
      const inner = hasRules ? withRules(directory, prefix, scopes) : scopes;
      for (const entry of listing.entries) {
        const path = prefix + entry.name;
        if (entry.kind === "file") files.push({ path, ignored: ignored || isIgnored(inner, path) });
        else if (entry.name === "node_modules") nodeModules.push(join(directory, entry.name));
        else if (entry.kind === "link") hasLinks = true;
        else if (!neverEntered.has(entry.name)) {
          visit(join(directory, entry.name), `${path}/`, inner, ignored || isIgnored(inner, `${path}/`));
        }
      }
    }

    function withRules(directory: string, prefix: string, scopes: readonly Scope[]): readonly Scope[] {
      const matcher = readRules(join(directory, ".gitignore"));
      return matcher === null ? scopes : [{ prefix, matcher }, ...scopes];
    }

    function readRules(path: string): Ignore | null {
      const identity = identityOf(path);
      if (identity === null) return null;
      const before = rules.get(path);
      if (before?.identity === identity) return before.matcher;
      changed = true;
      try {
        const matcher = ignore().add(readFileSync(path, "utf8"));
        rules.set(path, { identity, matcher });
        return matcher;
      } catch {
        return null;
      }
    }

    /** Rules above the root hold too, up to the repository's top. */
    function ancestorRules(): readonly Scope[] {
      const scopes: Scope[] = [];
      for (let directory = root; ; directory = dirname(directory)) {
        const isTop = statIfAny(join(directory, ".git")) !== undefined;
        if (directory !== root) {
          const matcher = readRules(join(directory, ".gitignore"));
          const outer = `${relative(directory, root).split(sep).join("/")}/`;
          if (matcher !== null) scopes.push({ prefix: "", matcher, outer });
        }
        if (isTop) {
          const matcher = readRules(join(directory, ".git", "info", "exclude"));
          const outer = directory === root ? "" : `${relative(directory, root).split(sep).join("/")}/`;
          if (matcher !== null) scopes.push({ prefix: "", matcher, outer });
          return scopes;
        }
        // No repository at all: nothing above speaks for this folder.
        if (dirname(directory) === directory) return [];
      }
    }

    visit(root, "", above, false);
    if (!changed && last !== null && last.files.length === files.length) return last;
    last = { files, nodeModules, hasLinks, version: (last?.version ?? 0) + 1 };
    return last;
  };

  function list(directory: string, before: Directory | undefined): Directory | null {
    const stats = statIfAny(directory);
    if (stats === undefined) return null;
    const young = now() - Math.max(stats.mtimeMs, stats.ctimeMs) < youngMs;
    // A young directory gets an identity that fits nothing, so that it is read again next time.
    const identity = young ? "" : `${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}`;
    if (before !== undefined && !young && before.identity === identity) return before;
    let entries: Dirent[];
    try {
      entries = readdirSync(directory, { withFileTypes: true });
    } catch {
      return null;
    }
    return {
      identity,
      entries: entries
        .filter((entry) => isNameable(directory, entry.name))
        .map((entry) => ({ name: entry.name, kind: kindOf(entry, join(directory, entry.name)) }))
        .filter((entry): entry is Directory["entries"][number] => entry.kind !== null)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }
}

interface Scope {
  /** Where the rules' own directory begins, relative to the root. */
  readonly prefix: string;
  readonly matcher: Ignore;
  /** For rules above the root: the root's path below them. */
  readonly outer?: string;
}

/** The nearest rules that say anything decide. */
function isIgnored(scopes: readonly Scope[], path: string): boolean {
  for (const { prefix, matcher, outer } of scopes) {
    const { ignored, unignored } = matcher.test((outer ?? "") + path.slice(prefix.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** Links to files are left out: what they name is checked where it lies. */
function kindOf(entry: Dirent, path: string): Kind | null {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() && statIfAny(path)?.isDirectory() === true ? "link" : null;
}

function sameEntries(a: Directory, b: Directory): boolean {
  return (
    a.entries.length === b.entries.length &&
    a.entries.every((entry, index) => entry.name === b.entries[index]?.name && entry.kind === b.entries[index]?.kind)
  );
}

/** A name that is no UTF-8 comes back mangled and can be given to no engine. */
function isNameable(directory: string, name: string): boolean {
  if (/[\n\r\0]/.test(name)) return false;
  return !name.includes("\uFFFD") || statIfAny(join(directory, name)) !== undefined;
}

function identityOf(path: string): string | null {
  const stats = statIfAny(path);
  return stats?.isFile() === true ? `${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}` : null;
}
