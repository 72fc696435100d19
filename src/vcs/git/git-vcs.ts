// The git adapter: one configured repository as a Vcs, with every call bounded in time and bytes.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Vcs, VcsLimits } from "../../ports/vcs.ts";
import { fetchAttribution } from "./attribution.ts";
import { createCache } from "./cache.ts";
import { readCommit } from "./commits.ts";
import { fetchContext } from "./context.ts";
import { readChangeDiff } from "./diff.ts";
import { type GitEnvironment, prepareEnvironment } from "./environment.ts";
import { unknownRevision } from "./faults.ts";
import { isAncestor } from "./history.ts";
import { listChanges } from "./list-changes.ts";
import { materialise } from "./materialise.ts";
import { withObjects } from "./objects.ts";
import { defaultLimits, type GitLimits, type GitVcsOptions } from "./options.ts";
import { defaultRef } from "./points.ts";
import { pollBranches } from "./poll.ts";
import { resolveChange, reviewRef } from "./resolve.ts";
import { parseSpec, requireFullId } from "./revision-syntax.ts";
import { type Budget, createBudget, createGit } from "./run-git.ts";
import { checkSource } from "./source.ts";

/** Most bytes of git's listing of changed files: room for about half a million. */
const MAX_LISTING_BYTES = 128 << 20;

/** Throws AppError `config` for a source that is not allowed; touches neither disk nor network. */
export function createGitVcs(options: GitVcsOptions): Vcs {
  const { repository, clock } = options;
  const subject = { repository };
  const source = checkSource(options);
  const limits: GitLimits = { ...defaultLimits, ...options.limits };
  const home = join(options.cacheDir, "home");
  const git = createGit(options.processes, home, subject);

  let prepared: Promise<GitEnvironment> | null = null;
  function environment(): Promise<GitEnvironment> {
    prepared ??= prepareEnvironment(options.cacheDir, source, options.environment ?? pathOnly()).catch((error) => {
      prepared = null;
      throw error;
    });
    return prepared;
  }
  const cache = createCache({ git, environment, source, cacheDir: options.cacheDir, subject, clock });

  const reading = (given?: VcsLimits): Budget => createBudget(clock, given, limits.deadlineMs);
  const syncing = (given?: VcsLimits): Budget =>
    createBudget(clock, given, source.kind === "url" ? limits.fetchDeadlineMs : limits.deadlineMs);

  return {
    kind: "git",
    repository,

    async resolve(request, given) {
      const spec = parseSpec(request.ref === undefined ? request.spec : "", repository, source.web);
      const budget = syncing(given);
      let snapshot = await cache.sync(budget);
      const review = spec.kind === "review" ? reviewRef(snapshot, spec.number) : null;
      if (review !== null && source.kind === "url") snapshot = await cache.sync(budget, review);
      return withObjects(git, snapshot.run, subject, (objects) =>
        resolveChange(
          {
            git,
            snapshot,
            objects,
            repository,
            defaultBranch: options.defaultBranch,
            mustBeContained: source.kind === "url",
          },
          request,
          spec,
        ),
      );
    },

    async listChanges(change, given) {
      const run = await cache.read(reading(given), change.head.canonical);
      return listChanges(git, run, change, {
        maxFiles: limits.maxFiles,
        maxDiffedFileBytes: limits.maxDiffedFileBytes,
        maxBytes: given?.maxBytes ?? MAX_LISTING_BYTES,
        temporary: home,
      });
    },

    async diff(change, files, given) {
      const run = await cache.read(reading(given), change.head.canonical);
      return readChangeDiff(git, run, change, files, {
        maxBytes: given?.maxBytes ?? limits.maxDiffBytes,
        maxDiffedFileBytes: limits.maxDiffedFileBytes,
      });
    },

    async materialise(change, request) {
      const run = await cache.read(reading(request), change.head.canonical);
      await mkdir(request.directory, { recursive: true });
      return materialise(git, run, change, request);
    },

    async fetchExtraContext(request, given) {
      const revision = requireFullId(request.revision, repository);
      const run = await cache.read(reading(given), revision);
      const maxBytes = Math.min(given?.maxBytes ?? limits.maxContextBytes, limits.maxContextBytes);
      return fetchContext(git, run, request, maxBytes);
    },

    async fetchAttribution(request, given) {
      const revision = requireFullId(request.revision, repository);
      const run = await cache.read(reading(given), revision);
      return fetchAttribution(git, run, request, {
        maxLines: limits.maxAttributedLines,
        shallow: await cache.shallow(revision),
      });
    },

    async poll(cursor, limit, given) {
      const budget = syncing(given);
      const refs = await cache.list(budget);
      const branches = new Map([...refs.ids].filter(([ref]) => ref.startsWith("refs/heads/")));
      // Fetched at most once, and only when some branch has moved.
      let snapshot: ReturnType<typeof cache.sync> | null = null;
      return pollBranches(cursor, branches, limit, async (before, head) => {
        snapshot ??= cache.sync(budget);
        return isAncestor(git, (await snapshot).run, before, head);
      });
    },

    async isAncestor(ancestor, descendant, given) {
      const [older, newer] = [requireFullId(ancestor, repository), requireFullId(descendant, repository)];
      const run = await cache.read(reading(given), newer);
      return isAncestor(git, run, older, newer);
    },

    async check(given) {
      const snapshot = await cache.sync(syncing(given));
      const main = defaultRef(snapshot, options.defaultBranch);
      const name = main?.replace(/^refs\/(heads|remotes\/origin)\//, "") ?? null;
      const id = main === null ? null : snapshot.refs.ids.get(main);
      if (!id) return { head: null, defaultBranch: name };
      return withObjects(git, snapshot.run, subject, async (objects) => {
        const object = await objects.read(`${id}^{commit}`);
        if (typeof object === "string") throw unknownRevision({ repository, rev: id });
        return { head: readCommit(object, snapshot.shallow), defaultBranch: name };
      });
    },
  };
}

function pathOnly(): Record<string, string> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}
