// Composes the feeds: where pushes are accepted, the routes they arrive on, and the poller that finds them for certain.
import { type AcceptPush, createAcceptPush } from "./app/accept-push.ts";
import type { Config, RepositoryConfig } from "./config/config.ts";
import { createPoller, type PolledFeed, type Poller } from "./feeds/poller.ts";
import { createTriggers } from "./feeds/triggers.ts";
import { createWebhooks, type FeedRoutes } from "./feeds/webhooks.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Subscriptions } from "./ports/listeners.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import type { Vcs } from "./ports/vcs.ts";

export interface FeedsFoundation {
  readonly config: Config;
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  readonly vcs: ReadonlyMap<string, Vcs>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Tells the workers that there is something to do. */
  readonly wake: () => void;
}

export interface Feeds {
  readonly acceptPush: AcceptPush;
  readonly poller: Poller;
  /** For the HTTP server. */
  readonly routes: readonly FeedRoutes[];
}

export function composeFeeds(foundation: FeedsFoundation): Feeds {
  const { config, store, subscriptions, vcs, clock, ids, logger, wake } = foundation;
  // People subscribe at any time, so that whether anybody listens is asked at each visit.
  const isPolled = ({ pollMs }: RepositoryConfig): boolean => pollMs > 0;
  const repositories = new Map(
    config.repositories.map((one) => [
      one.alias,
      { alias: one.alias, vcs: one.vcs, agent: one.agent, isPolled: isPolled(one) },
    ]),
  );
  const acceptPush = createAcceptPush({
    store,
    subscriptions,
    repositories,
    locale: config.language,
    clock,
    ids,
    wake,
  });
  const feeds = config.repositories.filter(isPolled).flatMap((repository): PolledFeed[] => {
    const adapter = vcs.get(repository.alias);
    if (adapter === undefined) return [];
    const { alias, pollMs } = repository;
    const isWanted = async (): Promise<boolean> => (await subscriptions.of(alias)).length > 0;
    return [{ repository: alias, source: sourceName(repository), intervalMs: pollMs, vcs: adapter, isWanted }];
  });
  const poller = createPoller({ feeds, store, acceptPush, clock, random: Math.random, logger });
  const routes = [
    createWebhooks({ sources: config.webhooks, acceptPush, clock, logger }),
    createTriggers({ sources: config.triggers, acceptPush, logger }),
  ];
  return { acceptPush, poller, routes };
}

/** What is polled, without credentials: a repository that moves to another address is polled anew. */
function sourceName({ vcs, source }: RepositoryConfig): string {
  switch (source.kind) {
    case "path":
    case "demo":
      return `${vcs} ${source.path}`;
    case "url":
    case "svn":
      return `${vcs} ${source.url}`;
    case "p4":
      return `${vcs} ${source.port} ${source.depotPath}`;
  }
}
