// The Subversion adapter: one configured folder of a repository as a Vcs, with every call bounded in time and bytes.
import type { Vcs, VcsLimits } from "../../ports/vcs.ts";
import { type Budget, createBudget } from "../git/run-git.ts";
import { type Contents, createContents } from "./contents.ts";
import { fetchAttribution, fetchContext } from "./context.ts";
import { readChangeDiff } from "./diff.ts";
import { prepareEnvironment } from "./environment.ts";
import { listChanges } from "./list-changes.ts";
import { type Location, type Position, readPosition } from "./location.ts";
import { readLog, revisionOf } from "./log.ts";
import { materialise } from "./materialise.ts";
import { defaultLimits, type SvnLimits, type SvnVcsOptions } from "./options.ts";
import { pollRevisions } from "./poll.ts";
import { resolveChange } from "./resolve.ts";
import { parseSpec, requireNumber } from "./revision-syntax.ts";
import { createSvn, type Svn } from "./run-svn.ts";
import { checkSource } from "./source.ts";

/** Most bytes of svn's listing of changed files: room for some hundred thousand. */
const MAX_LISTING_BYTES = 64 << 20;

interface Opened {
  readonly svn: Svn;
  readonly contents: Contents;
}

/** Throws AppError `config` for a URL that is not allowed; touches neither disk nor network. */
export function createSvnVcs(options: SvnVcsOptions): Vcs {
  const { repository, clock, processes } = options;
  const source = checkSource(options);
  const limits: SvnLimits = { ...defaultLimits, ...options.limits };

  let prepared: Promise<Opened> | null = null;
  function open(): Promise<Opened> {
    prepared ??= prepareEnvironment(options).then(
      (environment) => {
        const svn = createSvn(processes, environment, source, { repository });
        return { svn, contents: createContents(svn, source.url) };
      },
      (error: unknown) => {
        prepared = null;
        throw error;
      },
    );
    return prepared;
  }

  let known: Position | null = null;
  async function currentPosition({ svn, contents }: Opened, budget: Budget): Promise<Position> {
    const position = await readPosition(svn, source, budget);
    // Replaced under its URL, or restored from an older copy: its numbers mean something else now.
    if (known !== null && (known.uuid !== position.uuid || known.head > position.head)) contents.forget();
    known = position;
    return position;
  }
  /** Root and path of the folder, which every `resolve` and `poll` ask for anew. */
  const locate = async (opened: Opened, budget: Budget): Promise<Location> =>
    known ?? (await currentPosition(opened, budget));
  const budgetOf = (given?: VcsLimits): Budget => createBudget(clock, given, limits.deadlineMs);

  return {
    kind: "svn",
    repository,

    async resolve(request, given) {
      const spec = parseSpec(request.spec, repository);
      const since = request.since === undefined ? null : requireNumber(request.since, repository);
      const budget = budgetOf(given);
      const opened = await open();
      const position = await currentPosition(opened, budget);
      return resolveChange(opened.svn, position, request, spec, since, budget);
    },

    async listChanges(change, given) {
      const budget = budgetOf(given);
      const opened = await open();
      return listChanges(
        opened.svn,
        await locate(opened, budget),
        opened.contents,
        change,
        {
          maxFiles: limits.maxFiles,
          maxDiffedFileBytes: limits.maxDiffedFileBytes,
          maxBytes: given?.maxBytes ?? MAX_LISTING_BYTES,
        },
        budget,
      );
    },

    async diff(change, files, given) {
      const { svn, contents } = await open();
      const { maxDiffedFileBytes, maxComparedBytes } = limits;
      const maxBytes = given?.maxBytes ?? limits.maxDiffBytes;
      return readChangeDiff(
        svn,
        contents,
        processes,
        change,
        files,
        { maxBytes, maxDiffedFileBytes, maxComparedBytes },
        budgetOf(given),
      );
    },

    async materialise(change, request) {
      const { contents } = await open();
      return materialise(contents, change, request, budgetOf(request));
    },

    async fetchExtraContext(request, given) {
      const { svn, contents } = await open();
      const maxBytes = Math.min(given?.maxBytes ?? limits.maxContextBytes, limits.maxContextBytes);
      return fetchContext(svn, contents, source.url, request, maxBytes, budgetOf(given));
    },

    async fetchAttribution(request, given) {
      const { svn, contents } = await open();
      return fetchAttribution(svn, contents, source.url, request, limits.maxAttributedLines, budgetOf(given));
    },

    async poll(cursor, limit, given) {
      const budget = budgetOf(given);
      const opened = await open();
      return pollRevisions(opened.svn, await currentPosition(opened, budget), cursor, limit, budget);
    },

    async isAncestor(ancestor, descendant) {
      return requireNumber(ancestor, repository) <= requireNumber(descendant, repository);
    },

    async check(given) {
      const budget = budgetOf(given);
      const opened = await open();
      const position = await currentPosition(opened, budget);
      const defaultBranch = position.path === "" ? null : position.path.slice(1);
      if (position.lastChanged === 0) return { head: null, defaultBranch };
      const entries = await readLog(opened.svn, position, [position.lastChanged], budget);
      return { head: revisionOf(position.lastChanged, entries?.[0]), defaultBranch };
    },
  };
}
