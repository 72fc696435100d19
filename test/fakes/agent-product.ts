// The product from a request to its report over a real store, real git and the configured agents in a real sandbox.
import { join } from "node:path";
import { adapterFor } from "../../src/agents/adapters.ts";
import { productFiles } from "../../src/agents/product-files.ts";
import { serveResolver } from "../../src/agents/resolver.ts";
import { createWorkspace } from "../../src/agents/workspace.ts";
import { createAcceptChange } from "../../src/app/accept-change.ts";
import { createJobProcessor } from "../../src/app/process-jobs.ts";
import { createPublishReport } from "../../src/app/publish-report.ts";
import { createRunReview } from "../../src/app/run-review.ts";
import { composeAgents } from "../../src/compose-agents.ts";
import { agentsSchema, modelsSchema } from "../../src/config/agents-schema.ts";
import { packageRoot } from "../../src/config/paths.ts";
import { resolveAgents, secretsOfAgents } from "../../src/config/resolve-agents.ts";
import type { Report } from "../../src/core/report.ts";
import type { Review } from "../../src/core/review.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { processes } from "../../src/process/spawn.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createNativeSandbox } from "../../src/sandbox/native.ts";
import { createRedactor } from "../../src/telemetry/redact.ts";
import { createGitVcs } from "../../src/vcs/git/git-vcs.ts";
import { createFixedSubscriptions } from "./fixed-subscriptions.ts";
import { createRepository, type GitRepository } from "./git-repository.ts";
import { silentLogger } from "./silent-logger.ts";
import { createTempStore, type TempStore } from "./temp-store.ts";

export interface AgentProduct {
  readonly repository: GitRepository;
  readonly store: TempStore["store"];
  /** Folder of the store, the run directories and the cache. */
  readonly directory: string;
  /** Reviews the newest change, as a person would ask for it. */
  review(agent: string): Promise<{ readonly review: Review; readonly report: Report | null }>;
  remove(): Promise<void>;
}

export interface AgentProductOptions {
  /** As in the file: `models` and `agents`. */
  readonly models?: unknown;
  readonly agents?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: Sandbox;
  readonly clock?: Clock;
  readonly reviewMs?: number;
  /** Silence after which a program counts as hung, ms. */
  readonly idleMs?: number;
  readonly logger?: Logger;
}

export async function createAgentProduct(options: AgentProductOptions): Promise<AgentProduct> {
  const { store, directory, remove } = await createTempStore();
  const clock = options.clock ?? createSystemClock();
  const ids = createIds(clock);
  const env = options.env ?? {};
  const repository = createRepository();
  const vcs = createGitVcs({
    repository: "game",
    source: { kind: "path", path: repository.path },
    cacheDir: join(directory, "cache"),
    processes,
    clock,
  });
  const configured = resolveAgents(
    { models: modelsSchema.parse(options.models ?? []), agents: agentsSchema.parse(options.agents ?? []) },
    env,
  );
  const redactor = createRedactor(secretsOfAgents(configured));
  const sandbox = options.sandbox ?? createNativeSandbox({ processes });
  const { agents, fallbacks } = composeAgents({
    configured,
    sandbox: async () => sandbox,
    bounds: {
      limits: { memoryBytes: 2 ** 31, processes: 512 },
      idleMs: options.idleMs ?? 60_000,
      maxOutputBytes: 16 << 20,
    },
    programs: productFiles(packageRoot()),
    store,
    clock,
    ids,
    logger: options.logger ?? silentLogger,
    redactor,
    env,
    adapterOf: (agent) => adapterFor(agent, env),
  });
  const subscriptions = createFixedSubscriptions([]);
  const progress = { open: async () => {}, note: async () => {} };
  const processor = createJobProcessor({
    store,
    runReview: createRunReview({
      vcs: new Map([["game", vcs]]),
      agents,
      fallbacks,
      workspace: createWorkspace({ runsDir: join(directory, "runs") }),
      serveResolver,
      store,
      subscriptions,
      progress,
      clock,
      logger: options.logger ?? silentLogger,
      redactor,
      limits: { reviewMs: options.reviewMs ?? 110_000, diffBytes: 1 << 22, fileBytes: 1 << 20, runBytes: 1 << 24 },
    }),
    publishReport: createPublishReport({ store, subscriptions, clock, ids }),
    progress,
    clock,
    ids,
    logger: options.logger ?? silentLogger,
    worker: "test",
  });
  const accept = createAcceptChange({ store, clock, ids });
  const place = { channel: "fake", workspace: "w", conversation: "c" };

  return {
    repository,
    store,
    directory,
    async review(agent) {
      const requester = {
        kind: "person",
        conversation: place,
        person: { channel: "fake", workspace: "w", person: "p" },
      } as const;
      const asked = { repository: "game", spec: "", agent, paths: [], locale: "en", requester, source: "test" };
      const accepted = await accept({ ...asked, eventId: ids.token() });
      if (accepted.review === null) throw new Error("nothing was accepted");
      await processor.next();
      const review = await store.review(accepted.review);
      if (review === null) throw new Error("the review is gone");
      return { review, report: await store.report(review.id) };
    },
    async remove() {
      await processor.stop();
      repository.remove();
      await remove();
    },
  };
}
