// The Perforce adapter: one depot path of a server as a Vcs, read by the bot's own account and without any workspace.
import { mkdir } from "node:fs/promises";
import type { Vcs, VcsLimits } from "../../ports/vcs.ts";
import { type Budget, createBudget } from "../git/run-git.ts";
import { fetchAttribution } from "./attribution.ts";
import { lastCommitted, listSubmitted, newestSubmitted, revisionOf } from "./changelists.ts";
import { fetchContext } from "./context.ts";
import { createDepotRoot, type DepotRoot } from "./depot-paths.ts";
import { readChangeDiff } from "./diff.ts";
import { checkSettings, prepareEnvironment } from "./environment.ts";
import { listChanges } from "./list-changes.ts";
import { materialise } from "./materialise.ts";
import { defaultLimits, type P4Limits, type P4VcsOptions } from "./options.ts";
import { pollChanges } from "./poll.ts";
import { resolveChange, STREAM } from "./resolve.ts";
import { readPoint } from "./revision-syntax.ts";
import { createP4, type P4 } from "./run-p4.ts";

interface Connection {
  readonly p4: P4;
  readonly root: DepotRoot;
}

/** Throws AppError `config` for settings that are not allowed; touches neither disk nor network. */
export function createP4Vcs(options: P4VcsOptions): Vcs {
  const { repository, clock, processes } = options;
  const subject = { repository };
  checkSettings(options, subject);
  const limits: P4Limits = { ...defaultLimits, ...options.limits };

  let prepared: Promise<Connection> | null = null;
  function connect(budget: Budget): Promise<Connection> {
    prepared ??= open(budget).catch((error) => {
      prepared = null;
      throw error;
    });
    return prepared;
  }

  async function open(budget: Budget): Promise<Connection> {
    const environment = await prepareEnvironment(options, options.environment ?? pathOnly(), clock.now());
    const p4 = createP4(processes, environment, options, subject);
    // Answered without a login; it tells how the server compares names.
    const { records } = await p4.records(["info"], { budget });
    return { p4, root: createDepotRoot(options.depotPath, records[0]?.["caseHandling"] === "insensitive") };
  }

  const within = (given?: VcsLimits): Budget => createBudget(clock, given, limits.deadlineMs);

  return {
    kind: "p4",
    repository,

    async resolve(request, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      return resolveChange(p4, root, request, budget);
    },

    async listChanges(change, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      return listChanges(p4, root, change, budget, { ...limits, ...(given?.maxBytes && { maxBytes: given.maxBytes }) });
    },

    async diff(change, files, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      return readChangeDiff(p4, root, processes, change, files, budget, {
        ...limits,
        maxBytes: given?.maxBytes ?? limits.maxDiffBytes,
      });
    },

    async materialise(change, request) {
      const budget = within(request);
      const { p4, root } = await connect(budget);
      await mkdir(request.directory, { recursive: true });
      return materialise(p4, root, change, request, budget);
    },

    async fetchExtraContext(request, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      const maxBytes = Math.min(given?.maxBytes ?? limits.maxContextBytes, limits.maxContextBytes);
      return fetchContext(p4, root, request, budget, maxBytes);
    },

    async fetchAttribution(request, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      return fetchAttribution(p4, root, request, budget, limits.maxAttributedLines);
    },

    async poll(cursor, limit, given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      return pollChanges(cursor, limit, STREAM, {
        last: () => lastCommitted(p4, budget),
        list: async (first, last) =>
          (await listSubmitted(p4, root, budget, { first, last })).map(({ number }) => number),
        newest: async () => (await newestSubmitted(p4, root, budget))?.number ?? null,
      });
    },

    async isAncestor(ancestor, descendant) {
      const [older, newer] = [readPoint(ancestor, subject), readPoint(descendant, subject)];
      if (older.kind !== newer.kind) return false;
      // A shelf descends from nothing but itself: nobody submitted it.
      return older.kind === "shelf" ? older.number === newer.number : older.number <= newer.number;
    },

    async check(given) {
      const budget = within(given);
      const { p4, root } = await connect(budget);
      const newest = await newestSubmitted(p4, root, budget);
      const head = newest === null ? null : revisionOf(newest, { kind: "submitted", number: newest.number });
      return { head, defaultBranch: STREAM };
    },
  };
}

function pathOnly(): Record<string, string> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}
