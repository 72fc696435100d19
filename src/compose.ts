// The composition root of the server: every adapter meets the use cases here, and nowhere else.
import { hostname } from "node:os";
import { createDeliverNext } from "./app/deliver.ts";
import { createGiveUp } from "./app/give-up.ts";
import { createHearLifecycle } from "./app/hear-lifecycle.ts";
import { createLimitRate } from "./app/limit-rate.ts";
import { createPump } from "./app/pump.ts";
import { createPurge } from "./app/purge.ts";
import { recoverLeases, workerName } from "./app/recover-leases.ts";
import { createShowProgress } from "./app/show-progress.ts";
import { createSuggestWords } from "./app/suggest-words.ts";
import { composeChannels } from "./compose-channels.ts";
import { composeFeeds } from "./compose-feeds.ts";
import { configuredVisibility } from "./compose-listeners.ts";
import { composeReviewing } from "./compose-review.ts";
import type { Speech } from "./compose-speech.ts";
import type { Config } from "./config/config.ts";
import { type AppError, toAppError } from "./core/errors.ts";
import { createHttpServer } from "./http/server.ts";
import type { Channel, ChannelHealth, Inbox } from "./ports/channel.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import { createIds } from "./process/random-ids.ts";
import { createSystemClock } from "./process/system-clock.ts";
import { createPageAssets } from "./web/page-assets.ts";

/** How long an idle queue sleeps, ms: what another process accepted is found after that. */
const IDLE_MS = 1_000;
/** Lanes served at once. */
const SENDERS = 4;

export interface ServerProduct {
  readonly url: string;
  /** Stops taking work, gives running reviews back with their attempts, ends what is being sent, and closes the store. */
  stop(): Promise<void>;
}

/**
 * Throws AppError `config`, `corrupt` or `unavailable` with a remedy when the product cannot start.
 * @param onFatal called when a platform refuses the bot for good, so that the process should drain and exit.
 * @param opening the store, which may still be opening; it is closed with the server.
 */
export async function startServer(
  config: Config,
  logger: Logger,
  opening: Promise<Store>,
  onFatal: (error: AppError) => void,
): Promise<ServerProduct> {
  const clock = createSystemClock();
  const ids = createIds(clock);
  const store = await opening;
  let stopping = false;
  try {
    await store.registerRepositories(config.repositories, clock.now());
    const channels = await composeChannels({
      config,
      store,
      clock,
      ids,
      logger,
      texts: async () => (await speak()).texts,
      fatal: onFatal,
    });

    const progress = createShowProgress({
      store,
      channels,
      compose: async (...given) => (await speak()).composeProgress(...given),
      logger,
    });
    const [host, pid] = [hostname(), process.pid];
    await recoverLeases({ store, host, pid, isAlive: isRunning, clock, logger });
    const worker = workerName(host, pid);
    const foundation = { config, store, clock, ids, logger, workDir: config.dataDir, progress, worker };
    const composed = composeReviewing({ ...foundation, answersFromStore: true });
    const { processor, subscriptions, vcs, workspace } = composed;
    const visibility = configuredVisibility(config);

    let speech: Promise<Speech> | null = null;
    /** What speaks is half of the code, so that it is loaded when there is something to say. */
    function speak(): Promise<Speech> {
      speech ??= import("./compose-speech.ts").then(({ composeSpeech }) =>
        composeSpeech({
          config,
          store,
          reviewing: composed,
          visibility,
          channels,
          progress,
          clock,
          ids,
          logger,
          wakeReviews: reviewing.wake,
          wakeDeliveries: sending.wake,
        }),
      );
      return speech;
    }

    const deliverNext = createDeliverNext({
      store,
      channels,
      compose: async (...given) => (await speak()).composeDelivery(...given),
      worker,
      clock,
      ids,
      logger,
      giveUp: createGiveUp({
        store,
        ...(config.operators === undefined
          ? {}
          : { operators: { conversation: config.operators, locale: config.language } }),
        defaultLocale: config.language,
        clock,
        ids,
      }),
      limit: createLimitRate((name) => channels.get(name)?.capabilities.rate, clock),
    });
    const sending = createPump({
      name: "deliveries",
      next: deliverNext,
      concurrency: SENDERS,
      idleMs: IDLE_MS,
      clock,
      logger,
    });
    const reviewing = createPump({
      name: "reviews",
      next: async () => {
        const worked = await processor.next();
        if (worked) sending.wake();
        return worked;
      },
      concurrency: config.limits.concurrency,
      idleMs: IDLE_MS,
      clock,
      logger,
    });
    const { poller, routes } = composeFeeds({
      config,
      store,
      subscriptions,
      vcs,
      clock,
      ids,
      logger,
      wake: reviewing.wake,
    });
    const inbox: Inbox = {
      command: async (inbound) => (await speak()).command(inbound),
      action: async (inbound) => (await speak()).action(inbound),
      suggest: createSuggestWords({ visibility, store, vcs, agents: [...composed.agents.keys()], clock }),
      home: async (inbound) => (await speak()).home(inbound),
      lifecycle: createHearLifecycle({ store, clock, logger }),
    };

    const server = createHttpServer({
      host: config.server.host,
      port: config.server.port,
      ...(config.server.publicUrl === undefined ? {} : { publicUrl: config.server.publicUrl }),
      channels: [...channels.values(), ...routes],
      readiness: async () => {
        const health = await store.health();
        return { ok: health.ok && !stopping, detail: { store: health, stopping, channels: healthOf(channels) } };
      },
      asset: config.channels.web.enabled ? createPageAssets() : async () => null,
      logger,
    });
    // A broken template of the operator's own refuses the start, not the first message.
    if (config.templateFolders.length > 0) await speak();
    // A platform that cannot be reached holds up neither the others nor the server; it is `starting` until it can.
    const { url } = await server.listen();
    for (const channel of channels.values()) {
      channel.start(inbox).catch((thrown: unknown) => {
        const error = toAppError(thrown);
        logger.error("channel.not_started", { channel: channel.name, error });
        if (!stopping) onFatal(error);
      });
    }
    reviewing.start();
    sending.start();
    const purge = createPurge({
      store,
      purgeRuns: workspace.purgeRuns,
      clock,
      logger,
      keepDays: config.limits.keepDays,
      keepRunDays: config.limits.keepRunDays,
    });
    const digests = async (): Promise<void> => {
      const { composeDigests } = await import("./compose-digests.ts");
      await composeDigests({ config, store, subscriptions, clock, ids, logger, wake: sending.wake })();
    };
    // Reading time zones takes longer than answering: whoever waits for the server does not wait for that.
    const scheduling = import("./schedule/cron.ts").then(({ startSchedule }) =>
      startSchedule(
        [
          { name: "purge", cron: "17 3 * * *", run: purge },
          { name: "digests", cron: "* * * * *", run: digests },
          { name: "poll", cron: "* * * * * *", run: async () => poller.wake() },
        ],
        logger,
      ),
    );

    return {
      url,
      async stop() {
        stopping = true;
        const schedule = await scheduling;
        await schedule.stop();
        await poller.stop();
        await Promise.all([reviewing.stop(), processor.stop()]);
        await sending.stop();
        await server.close();
        for (const channel of channels.values()) await channel.stop();
        await store.close();
      },
    };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

function healthOf(channels: ReadonlyMap<string, Channel>): Readonly<Record<string, ChannelHealth>> {
  return Object.fromEntries([...channels].map(([name, channel]) => [name, channel.health()]));
}

/** A signal of nothing tells whether a process is there; one that belongs to somebody else is there too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
  }
}
