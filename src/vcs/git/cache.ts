// Gives every source the same face: a bare repository of ours with its objects, and the refs as they are now.
import { join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import { countPacks, ensureBare, keepFile, removeLeftovers } from "./bare.ts";
import type { GitEnvironment } from "./environment.ts";
import { type Subject, timedOut } from "./faults.ts";
import { withLock } from "./lock.ts";
import { idLength, locateRepository, type Refs, readRawRefs, readRefs, readShallow } from "./refs-on-disk.ts";
import { cachedRef, fetchRefs, listRemote } from "./remote.ts";
import type { Budget, Git, GitRun } from "./run-git.ts";
import type { CheckedSource } from "./source.ts";

/** A source at one moment. */
export interface Snapshot {
  readonly refs: Refs;
  /** Whether HEAD is the repository's own default (bare, remote) rather than what somebody has checked out. */
  readonly headIsDefault: boolean;
  /** How to read its objects. */
  readonly run: GitRun;
  readonly shallow: ReadonlySet<string>;
}

export interface Cache {
  /** Only the refs; for a remote one request, and nothing is fetched. */
  list(budget: Budget): Promise<Refs>;
  /** The refs and all of branches and tags; `review` also fetches that pull or merge request's head. */
  sync(budget: Budget, review?: string): Promise<Snapshot>;
  /** For reading objects that an earlier `sync` brought: no network. @param id any full id of the repository. */
  read(budget: Budget, id: string): Promise<GitRun>;
  /** The commits at which the history ends, for a run of `read`. */
  shallow(id: string): Promise<ReadonlySet<string>>;
}

const MIRROR = ["+refs/heads/*:refs/aicr/heads/*", "+refs/tags/*:refs/aicr/tags/*"];
/** Each fetch leaves a pack; past so many they are merged. */
const MAX_PACKS = 40;

export function createCache(parts: {
  readonly git: Git;
  readonly environment: () => Promise<GitEnvironment>;
  readonly source: CheckedSource;
  readonly cacheDir: string;
  readonly subject: Subject;
  readonly clock: Clock;
}): Cache {
  const { git, environment, source, subject, clock } = parts;
  const slug = subject.repository.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
  const bareFor = (digits: 40 | 64): string => join(parts.cacheDir, `${slug}-${source.cacheKey}-${digits}.git`);

  async function localRun(bare: string, budget: Budget): Promise<GitRun> {
    return { env: { ...(await environment()).local, GIT_DIR: bare }, budget };
  }

  async function remoteRun(budget: Budget, bare?: string): Promise<GitRun> {
    const { network } = await environment();
    return { env: bare === undefined ? network : { ...network, GIT_DIR: bare }, budget };
  }

  /** Borrows the source's objects; writes nothing into it. */
  async function syncPath(path: string, budget: Budget): Promise<Snapshot> {
    const located = await locateRepository(path, subject);
    const refs = await readRefs(located);
    const digits = idLength(refs);
    const bare = bareFor(digits);
    await ensureBare(bare, digits);
    await keepFile(join(bare, "objects", "info", "alternates"), `${join(located.commonDir, "objects")}\n`);
    const shallow = await readShallow(located.commonDir);
    await keepFile(join(bare, "shallow"), shallow.size === 0 ? null : `${[...shallow].join("\n")}\n`);
    // For questions such as "which branch contains this", git needs refs of its own to walk from.
    const packed = [...refs.ids].map(([ref, id]) => `${id} ${cachedRef(ref)}\n`).join("");
    await keepFile(join(bare, "packed-refs"), packed);
    return { refs, headIsDefault: located.isBare, run: await localRun(bare, budget), shallow };
  }

  async function syncUrl(
    remote: Extract<CheckedSource, { kind: "url" }>,
    budget: Budget,
    review: string | undefined,
  ): Promise<Snapshot> {
    const refs = await listRemote(git, await remoteRun(budget), remote, subject);
    const digits = idLength(refs);
    const bare = bareFor(digits);
    await ensureBare(bare, digits);
    const isStale = async (): Promise<boolean> => !isMirrored(refs, await readRawRefs(bare), review);
    if (await isStale()) {
      const locked = await withLock(`${bare}.lock`, clock, budget.remainingMs(), async () => {
        // Whoever held the lock before us may have fetched the same.
        if (!(await isStale())) return;
        await removeLeftovers(bare);
        const refspecs = review === undefined ? MIRROR : [...MIRROR, `+${review}:${cachedRef(review)}`];
        await fetchRefs(git, await remoteRun(budget, bare), remote, refspecs, subject);
        if ((await countPacks(bare)) > MAX_PACKS) {
          // Keeps unreachable objects: a review in progress may be reading what a force push has replaced.
          await git.attempt(["repack", "--geometric=2", "-d", "-q"], await localRun(bare, budget));
        }
      });
      if (locked === null) throw timedOut(subject);
    }
    return { refs, headIsDefault: true, run: await localRun(bare, budget), shallow: await readShallow(bare) };
  }

  return {
    async list(budget) {
      if (source.kind === "path") return readRefs(await locateRepository(source.path, subject));
      return listRemote(git, await remoteRun(budget), source, subject);
    },
    sync(budget, review) {
      return source.kind === "path" ? syncPath(source.path, budget) : syncUrl(source, budget, review);
    },
    async read(budget, id) {
      const digits = id.length === 64 ? 64 : 40;
      const bare = bareFor(digits);
      await ensureBare(bare, digits);
      if (source.kind === "path") {
        const { commonDir } = await locateRepository(source.path, subject);
        await keepFile(join(bare, "objects", "info", "alternates"), `${join(commonDir, "objects")}\n`);
      }
      return localRun(bare, budget);
    },
    shallow: (id) => readShallow(bareFor(id.length === 64 ? 64 : 40)),
  };
}

/** Whether the cache holds the branches and tags (and the review's head) exactly as the remote has them. */
function isMirrored(refs: Refs, cached: ReadonlyMap<string, string>, review: string | undefined): boolean {
  let mirrored = 0;
  for (const [ref, id] of refs.ids) {
    if (!/^refs\/(heads|tags)\//.test(ref) && ref !== review) continue;
    if (cached.get(cachedRef(ref)) !== id) return false;
    if (ref !== review) mirrored++;
  }
  const kept = [...cached.keys()].filter((ref) => /^refs\/aicr\/(heads|tags)\//.test(ref)).length;
  return kept === mirrored;
}
