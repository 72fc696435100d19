// The product from a push to the chat, over a real store and real git, with a fake agent, a fake channel and a clock turned by hand.
import { join } from "node:path";
import { createWorkspace } from "../../src/agents/workspace.ts";
import { type AcceptPush, createAcceptPush } from "../../src/app/accept-push.ts";
import { createComposeDelivery } from "../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../src/app/deliver.ts";
import { createJobProcessor } from "../../src/app/process-jobs.ts";
import { createPublishReport } from "../../src/app/publish-report.ts";
import { createRunReview } from "../../src/app/run-review.ts";
import { createSubscriptionDirectory } from "../../src/app/subscription-directory.ts";
import { noLinks } from "../../src/cards/links.ts";
import { configuredSubscriptions } from "../../src/compose-listeners.ts";
import type { SubscriptionConfig } from "../../src/config/config.ts";
import { noFilters } from "../../src/core/subscription.ts";
import { createPoller, type Poller } from "../../src/feeds/poller.ts";
import type { Agent, AgentPass } from "../../src/ports/agent.ts";
import type { Vcs } from "../../src/ports/vcs.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { processes } from "../../src/process/spawn.ts";
import { executeTool } from "../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../src/report-tools/registry.ts";
import { createReportState } from "../../src/report-tools/report-state.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { createGitVcs } from "../../src/vcs/git/git-vcs.ts";
import { createFakeChannel, type FakeChannel, fakeConversation } from "./fake-channel.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { silentLogger } from "./silent-logger.ts";
import { createTempStore, type TempStore } from "./temp-store.ts";

const noDigest = () => Promise.reject(new Error("no digest is owed"));

export interface FeedProduct {
  readonly clock: FakeClock;
  readonly channel: FakeChannel;
  readonly store: TempStore["store"];
  readonly acceptPush: AcceptPush;
  readonly poller: Poller;
  /** Changes that the agent was started for, as `base..head`. */
  readonly reviewed: string[];
  /** Lets the interval pass and polls. */
  poll(): Promise<void>;
  /** Runs every due job and delivery to its end. */
  work(): Promise<void>;
  remove(): Promise<void>;
}

export interface FeedProductOptions {
  /** Path of the pushed-to repository. */
  readonly repository: string;
  readonly subscriptions?: readonly Partial<SubscriptionConfig>[];
  /** Takes the place of the git adapter's members. */
  readonly vcs?: (git: Vcs) => Vcs;
  /** What the agent reports through the tools; default: nothing is wrong. */
  readonly report?: (pass: AgentPass) => readonly (readonly [string, unknown])[];
  /** Called while the agent runs. */
  readonly during?: (change: string) => Promise<void>;
}

export const operators = { ...fakeConversation, conversation: "operators" };
export const pollMs = 60_000;

export async function createFeedProduct(options: FeedProductOptions): Promise<FeedProduct> {
  const temporary = await createTempStore();
  const { store, directory } = temporary;
  const clock = createFakeClock();
  const ids = createIds(clock);
  const channel = createFakeChannel("fake");
  const git = createGitVcs({
    repository: "game",
    source: { kind: "path", path: options.repository },
    cacheDir: join(directory, "cache"),
    processes,
    clock,
  });
  const vcs = new Map([["game", options.vcs?.(git) ?? git]]);
  const configured = configuredSubscriptions({
    language: "en",
    subscriptions: (options.subscriptions ?? [{}]).map((one) => ({
      conversation: fakeConversation,
      repository: "game",
      filters: noFilters,
      mode: "report" as const,
      severity: "info" as const,
      ...one,
    })),
  });
  const subscriptions = createSubscriptionDirectory({
    store,
    configured,
    configuredLanguage: () => null,
    visibility: { repositoriesFor: () => ["game"] },
    noProblems: () => "suppress",
    defaultLocale: "en",
  });
  const reviewed: string[] = [];
  const agent: Agent = {
    name: "fake",
    repairable: false,
    async run(pass) {
      const running = (await store.reviews({ limit: 50 })).find(({ status }) => status === "running")?.change;
      const base = running?.base === "empty" ? "empty" : running?.base.canonical;
      const change = `${base}..${running?.head.canonical}`;
      reviewed.push(change);
      await options.during?.(change);
      const tools = createReportTools({ state: createReportState(pass.paths.state, pass.runId), version: "1" });
      const calls = options.report?.(pass) ?? [["aicr.skip", { reason: "lgtm" }]];
      for (const [name, input] of calls) await executeTool(tools, name, input);
      return { exit: "ok" };
    },
  };
  const progress = { open: async () => {}, note: async () => {} };
  const runReview = createRunReview({
    vcs,
    agents: new Map([["fake", agent]]),
    workspace: createWorkspace({ runsDir: join(directory, "runs") }),
    serveResolver: async () => null,
    store,
    subscriptions,
    progress,
    clock,
    logger: silentLogger,
    redactor: { redact: (text) => text, learn: () => {} },
    limits: { reviewMs: 60_000, diffBytes: 1 << 20, fileBytes: 1 << 20, runBytes: 1 << 22 },
  });
  const publishReport = createPublishReport({
    store,
    subscriptions,
    operators: { conversation: operators, locale: "en" },
    clock,
    ids,
  });
  const processor = createJobProcessor({
    store,
    runReview,
    publishReport,
    progress,
    clock,
    ids,
    logger: silentLogger,
    worker: "test",
  });
  const compose = createComposeDelivery({
    store,
    texts: createTexts({ folders: [] }),
    links: () => noLinks,
    clock,
    ids,
    digest: noDigest,
  });
  const deliverNext = createDeliverNext({
    store,
    channels: new Map([["fake", channel]]),
    compose,
    clock,
    ids,
    logger: silentLogger,
  });
  const acceptPush = createAcceptPush({
    store,
    subscriptions,
    repositories: new Map([["game", { alias: "game", vcs: "git", agent: "fake", isPolled: true }]]),
    locale: "en",
    clock,
    ids,
    wake: () => {},
  });
  const adapter = vcs.get("game");
  if (adapter === undefined) throw new Error("unreachable");
  const poller = createPoller({
    feeds: [{ repository: "game", source: "git", intervalMs: pollMs, vcs: adapter }],
    store,
    acceptPush,
    clock,
    random: () => 0.5,
    logger: silentLogger,
  });

  return {
    clock,
    channel,
    store,
    acceptPush,
    poller,
    reviewed,
    async poll() {
      clock.advance(pollMs);
      poller.wake();
      await poller.idle();
    },
    async work() {
      while (await processor.next());
      while (await deliverNext());
    },
    async remove() {
      await poller.stop();
      await processor.stop();
      await temporary.remove();
    },
  };
}
