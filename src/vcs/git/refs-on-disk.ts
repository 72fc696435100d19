// Reads where a local repository keeps its objects and refs, as files: its configuration, hooks and helpers are never consulted.
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { notARepository, type Subject, unsupportedStorage } from "./faults.ts";

/** Every ref that may be reviewed, and the default. */
export interface Refs {
  /** Full ref → id of the object it names (a tag object for annotated tags). */
  readonly ids: ReadonlyMap<string, string>;
  /** What HEAD is: a full ref (which may not exist yet), an id when detached, or null when unreadable. */
  readonly head: { readonly ref: string } | { readonly id: string } | null;
  /** The branch that the remote's HEAD names, for clones that know it. */
  readonly remoteDefault: string | null;
}

interface LocalRepository {
  /** Shared by all work trees: objects, branches, tags, the shallow list. */
  readonly commonDir: string;
  /** Of this work tree: HEAD. */
  readonly gitDir: string;
  readonly isBare: boolean;
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Follows symbolic refs so many times, as git does. */
const SYMREF_DEPTH = 5;
/** Text files of a repository's administration are small; a ref file beyond this is none. */
const MAX_POINTER_BYTES = 4096;

/** Finds the repository at a path or above it: a work tree, a linked work tree, a submodule, a bare repository. */
export async function locateRepository(path: string, subject: Subject): Promise<LocalRepository> {
  // A misspelt path must not silently mean the repository around it.
  if (!(await isDirectory(path))) throw notARepository(subject, `${path} is not a directory`);
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    const gitDir = await gitDirAt(directory);
    if (gitDir !== null) {
      const common = await pointer(join(gitDir, "commondir"));
      const commonDir = common === null ? gitDir : resolve(gitDir, common);
      if (await isDirectory(join(commonDir, "reftable"))) throw unsupportedStorage(subject);
      return { gitDir, commonDir, isBare: gitDir === directory };
    }
    if (directory === dirname(directory)) throw notARepository(subject, `no repository at or above ${path}`);
  }
}

async function gitDirAt(directory: string): Promise<string | null> {
  const dotGit = join(directory, ".git");
  if (await looksLikeGitDir(dotGit)) return dotGit;
  const redirect = await pointer(dotGit);
  if (redirect?.startsWith("gitdir: ")) {
    const target = resolve(directory, redirect.slice("gitdir: ".length));
    if (await looksLikeGitDir(target)) return target;
  }
  return (await looksLikeGitDir(directory)) ? directory : null;
}

async function looksLikeGitDir(directory: string): Promise<boolean> {
  if (!(await lstat(join(directory, "HEAD")).catch(() => null))) return false;
  if (await pointer(join(directory, "commondir"))) return true;
  return (await isDirectory(join(directory, "objects"))) && (await isDirectory(join(directory, "refs")));
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** The one line of an administrative file; null when there is no such file. */
async function pointer(path: string): Promise<string | null> {
  const facts = await stat(path).catch(() => null);
  if (!facts?.isFile() || facts.size > MAX_POINTER_BYTES) return null;
  return (await readFile(path, "utf8").catch(() => null))?.replace(/[\r\n]+$/, "") ?? null;
}

/** Full ref → id or `ref: <target>`, packed and loose. */
export async function readRawRefs(commonDir: string): Promise<ReadonlyMap<string, string>> {
  const raw = new Map<string, string>();
  const packed = await readFile(join(commonDir, "packed-refs"), "utf8").catch(() => "");
  for (const line of packed.split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0 && ID.test(line.slice(0, space))) raw.set(line.slice(space + 1), line.slice(0, space));
  }
  await readLoose(commonDir, "refs", raw);
  return raw;
}

/** Reads HEAD, branches, tags, remote-tracking branches and review refs. */
export async function readRefs(repository: LocalRepository): Promise<Refs> {
  const raw = await readRawRefs(repository.commonDir);
  const ids = new Map<string, string>();
  for (const name of raw.keys()) {
    const id = follow(name, raw);
    if (
      id !== null &&
      name !== "refs/remotes/origin/HEAD" &&
      /^refs\/(heads|tags|remotes|pull|merge-requests)\//.test(name)
    )
      ids.set(name, id);
  }
  const head = await pointer(join(repository.gitDir, "HEAD"));
  const remote = raw.get("refs/remotes/origin/HEAD");
  return {
    ids,
    head:
      head === null ? null : ID.test(head) ? { id: head } : head.startsWith("ref: ") ? { ref: head.slice(5) } : null,
    remoteDefault: /^ref: refs\/remotes\/origin\/(.+)$/.exec(remote ?? "")?.[1] ?? null,
  };
}

/** Loose refs win over packed ones. Links are not followed: a ref is a plain file. */
async function readLoose(root: string, under: string, into: Map<string, string>): Promise<void> {
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const name = `${under}/${entry.name}`;
      if (entry.isDirectory()) return readLoose(root, name, into);
      if (!entry.isFile() || name.endsWith(".lock")) return;
      const text = await pointer(join(root, name));
      if (text !== null && (ID.test(text) || text.startsWith("ref: "))) into.set(name, text);
    }),
  );
}

function follow(name: string, raw: ReadonlyMap<string, string>): string | null {
  let text = raw.get(name);
  for (let depth = 0; depth < SYMREF_DEPTH && text?.startsWith("ref: "); depth++) text = raw.get(text.slice(5));
  return text !== undefined && ID.test(text) ? text : null;
}

/** The commits at which a shallow history ends. */
export async function readShallow(commonDir: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(commonDir, "shallow"), "utf8").catch(() => "");
  return new Set(text.split("\n").filter((line) => ID.test(line)));
}

/** 64 digits in SHA-256 repositories, 40 otherwise; told by any id that the repository holds. */
export function idLength(refs: Refs): 40 | 64 {
  const id = refs.head !== null && "id" in refs.head ? refs.head.id : refs.ids.values().next().value;
  return id?.length === 64 ? 64 : 40;
}
