// Composes what every way of reviewing shares: repositories, agents, run directories, texts and the use cases over a store.
import { join } from "node:path";
import { createChecksAgent } from "./agents/checks/agent.ts";
import { serveResolver } from "./agents/resolver.ts";
import { createWorkspace, type RunWorkspace } from "./agents/workspace.ts";
import { type AcceptChange, createAcceptChange } from "./app/accept-change.ts";
import { createJobProcessor, type JobProcessor } from "./app/process-jobs.ts";
import { createPublishReport } from "./app/publish-report.ts";
import { createRunReview } from "./app/run-review.ts";
import type { ShowProgress } from "./app/show-progress.ts";
import { createLinkBuilder, type LinkBuilder, noLinks } from "./cards/links.ts";
import { configuredSubscriptions } from "./compose-listeners.ts";
import type { Config, RepositoryConfig } from "./config/config.ts";
import { bundlePath } from "./config/paths.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Subscriptions } from "./ports/listeners.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import type { Texts } from "./ports/texts.ts";
import type { Vcs } from "./ports/vcs.ts";
import { processes } from "./process/spawn.ts";
import { createNativeSandbox } from "./sandbox/native.ts";
import { createRedactor } from "./telemetry/redact.ts";
import { loadTexts } from "./templates/load-texts.ts";
import { createDemoRepository } from "./vcs/git/demo.ts";
import { createGitVcs } from "./vcs/git/git-vcs.ts";
import { createP4Vcs } from "./vcs/p4/p4-vcs.ts";
import { createSvnVcs } from "./vcs/svn/svn-vcs.ts";

export interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where run directories and repository caches go, absolute. */
  readonly workDir: string;
  readonly progress: ShowProgress;
  /** Names this process in the store. */
  readonly worker: string;
}

export interface Reviewing {
  readonly vcs: ReadonlyMap<string, Vcs>;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly subscriptions: Subscriptions;
  readonly workspace: RunWorkspace;
  readonly acceptChange: AcceptChange;
  readonly processor: JobProcessor;
}

export function composeReviewing(foundation: Foundation): Reviewing {
  const { config, store, clock, ids, logger, workDir, progress } = foundation;
  const vcs = new Map(config.repositories.map((one) => [one.alias, createVcs(one, join(workDir, "cache"), clock)]));
  const agents = createAgents();
  const subscriptions = configuredSubscriptions(config);
  const workspace = createWorkspace({ runsDir: join(workDir, "runs") });
  const runReview = createRunReview({
    vcs,
    agents,
    workspace,
    serveResolver,
    store,
    subscriptions,
    progress,
    clock,
    logger,
    redactor: createRedactor(config.secrets),
    limits: config.limits,
  });
  const { operators } = config;
  const publishReport = createPublishReport({
    store,
    subscriptions,
    ...(operators === undefined ? {} : { operators: { conversation: operators, locale: config.language } }),
    clock,
    ids,
  });
  return {
    vcs,
    agents,
    subscriptions,
    workspace,
    acceptChange: createAcceptChange({ store, clock, ids }),
    processor: createJobProcessor({
      store,
      runReview,
      publishReport,
      progress,
      clock,
      ids,
      logger,
      worker: foundation.worker,
    }),
  };
}

export function createVcs(repository: RepositoryConfig, cacheDir: string, clock: Clock): Vcs {
  const { alias, source, defaultBranch } = repository;
  const common = { repository: alias, cacheDir, processes, clock };
  const git = { ...common, ...(defaultBranch === undefined ? {} : { defaultBranch }) };
  switch (source.kind) {
    case "path":
    case "url":
      return createGitVcs({ ...git, source });
    case "demo":
      return onFirstUse(createGitVcs({ ...git, source: { kind: "path", path: source.path } }), () =>
        createDemoRepository(source.path, { processes, clock }),
      );
    case "svn": {
      const { url, credentials = {} } = source;
      return createSvnVcs({ ...common, url, ...credentials, allowFileUrls: url.startsWith("file:") });
    }
    case "p4": {
      const { port, user, password, depotPath, charset, fingerprint } = source;
      return createP4Vcs({
        ...common,
        // Its settings and tickets are its own: another repository may use another account of the same server.
        cacheDir: join(cacheDir, alias),
        port,
        user,
        depotPath,
        ...(password === undefined ? {} : { password }),
        ...(charset === undefined ? {} : { charset }),
        ...(fingerprint === undefined ? {} : { trustFingerprint: fingerprint }),
      });
    }
  }
}

function createAgents(): ReadonlyMap<string, Agent> {
  const checks = createChecksAgent({
    sandbox: createNativeSandbox({ processes }),
    entry: bundlePath("agent-checks"),
    toolServer: bundlePath("mcp-output"),
  });
  return new Map([[checks.name, checks]]);
}

/** The demo repository is made when somebody first asks for it, so that starting costs nothing. */
function onFirstUse(vcs: Vcs, make: () => Promise<void>): Vcs {
  let made: Promise<void> | null = null;
  const ready = (): Promise<void> => {
    made ??= make().catch((thrown: unknown) => {
      made = null;
      throw thrown;
    });
    return made;
  };
  return {
    ...vcs,
    resolve: async (...given) => ready().then(() => vcs.resolve(...given)),
    poll: async (...given) => ready().then(() => vcs.poll(...given)),
    check: async (...given) => ready().then(() => vcs.check(...given)),
  };
}

export function createLinks(config: Config): (repository: string) => LinkBuilder {
  const builders = new Map(config.repositories.map((one) => [one.alias, createLinkBuilder(one.web)]));
  return (repository) => builders.get(repository) ?? noLinks;
}

/** Throws AppError `config` naming file and line when a template that shadows a built-in one has a mistake. */
export function composeTexts(config: Config): Texts {
  return loadTexts({ folders: config.templateFolders });
}
