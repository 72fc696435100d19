// Composes what every way of reviewing shares: repositories, agents, run directories and the use cases over a store.
import { join } from "node:path";
import { adapterFor } from "./agents/adapters.ts";
import { productFiles } from "./agents/product-files.ts";
import { serveResolver } from "./agents/resolver.ts";
import { createWorkspace, type RunWorkspace } from "./agents/workspace.ts";
import { type AcceptChange, createAcceptChange } from "./app/accept-change.ts";
import { createAnswerFromStore } from "./app/answer-from-store.ts";
import { createJobProcessor, type JobProcessor } from "./app/process-jobs.ts";
import { createPublishReport } from "./app/publish-report.ts";
import { createRestrain } from "./app/restrain.ts";
import { createRunReview } from "./app/run-review.ts";
import type { ShowProgress } from "./app/show-progress.ts";
import { createSubscriptionDirectory, type SubscriptionDirectory } from "./app/subscription-directory.ts";
import { composeAgents } from "./compose-agents.ts";
import {
  configuredLanguage,
  configuredPolicy,
  configuredSubscriptions,
  configuredVisibility,
} from "./compose-listeners.ts";
import { createVcs } from "./compose-vcs.ts";
import type { Config } from "./config/config.ts";
import { bundlePath, packageRoot } from "./config/paths.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import type { Vcs } from "./ports/vcs.ts";
import { processes } from "./process/spawn.ts";
import { createSandboxes, type Sandboxes } from "./sandbox/detect.ts";
import { createRedactor } from "./telemetry/redact.ts";

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
  /** Whether a range that was reviewed a moment ago is answered from the store; otherwise it is always reviewed. */
  readonly answersFromStore?: boolean;
}

export interface Reviewing {
  readonly vcs: ReadonlyMap<string, Vcs>;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly subscriptions: SubscriptionDirectory;
  readonly workspace: RunWorkspace;
  readonly acceptChange: AcceptChange;
  readonly processor: JobProcessor;
}

export function composeReviewing(foundation: Foundation): Reviewing {
  const { config, store, clock, ids, logger, workDir, progress } = foundation;
  const vcs = new Map(config.repositories.map((one) => [one.alias, createVcs(one, join(workDir, "cache"), clock)]));
  const redactor = createRedactor(config.secrets);
  const { agents, fallbacks } = composeAgents({
    configured: config.agents,
    sandbox: composeSandboxes(config, logger).choose,
    bounds: config.sandbox,
    programs: productFiles(packageRoot()),
    store,
    clock,
    ids,
    logger,
    redactor,
    env: process.env,
    adapterOf: (agent) => adapterFor(agent, process.env),
  });
  const subscriptions = createSubscriptionDirectory({
    store,
    configured: configuredSubscriptions(config),
    configuredLanguage: configuredLanguage(config),
    visibility: configuredVisibility(config),
    noProblems: configuredPolicy(config),
    defaultLocale: config.language,
  });
  const workspace = createWorkspace({ runsDir: join(workDir, "runs") });
  const runReview = createRunReview({
    vcs,
    agents,
    fallbacks,
    workspace,
    serveResolver,
    store,
    subscriptions,
    ...(foundation.answersFromStore === true ? { answerFromStore: createAnswerFromStore({ store, clock }) } : {}),
    progress,
    clock,
    logger,
    redactor,
    limits: config.limits,
  });
  const { operators } = config;
  const publishReport = createPublishReport({
    store,
    subscriptions,
    restrain: createRestrain({ store, clock }),
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

/** Agents run in the strongest sandbox that works here; which one that is is found out when the first of them runs. */
export function composeSandboxes(config: Config, logger: Logger): Sandboxes {
  return createSandboxes({
    settings: config.sandbox,
    processes,
    relay: [process.execPath, bundlePath("sandbox-relay")],
    env: process.env,
    logger,
  });
}
