// From the outcome of a review to its messages at the small Discord: the real use cases over a real store, with Discord's client as the channel.
import { discordCapabilities } from "../../../channels/discord/capabilities.ts";
import { createComposeDelivery } from "../../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../../src/app/deliver.ts";
import { createPublishReport, type ReviewOutcome } from "../../../src/app/publish-report.ts";
import { createRestrain } from "../../../src/app/restrain.ts";
import { createLinkBuilder } from "../../../src/cards/links.ts";
import type { ConversationRef } from "../../../src/core/delivery.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Report } from "../../../src/core/report.ts";
import { noFilters, type Subscription } from "../../../src/core/subscription.ts";
import type { Channel } from "../../../src/ports/channel.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { change, claimed, fresh, request, timings } from "../../contract/store-samples.ts";
import { createFixedIds } from "../fixed-ids.ts";
import { silentLogger } from "../silent-logger.ts";
import { createTempStore, type TempStore } from "../temp-store.ts";
import { type SendingSide, startSendingSide } from "./sending-side.ts";

export interface PublishingSide extends SendingSide {
  readonly store: TempStore["store"];
  readonly ids: ReturnType<typeof createFixedIds>;
  readonly subscriptions: { of(): Promise<readonly Subscription[]> };
  subscribe(mode: Subscription["mode"], ...conversations: readonly ConversationRef[]): void;
  /** A push whose review ends so; nothing is sent yet. */
  push(result: Report | AppError): Promise<void>;
  /** Sends what is due. @param restarted as a process that knows nothing of what was sent before */
  deliver(restarted?: boolean): Promise<void>;
}

export async function startPublishingSide(): Promise<PublishingSide> {
  const side = await startSendingSide();
  const temp = await createTempStore();
  const { store } = temp;
  const { clock } = side;
  const ids = createFixedIds();
  const texts = createTexts({ folders: [] });
  const links = () => createLinkBuilder({ commit: "https://git.example.org/demo/commit/{rev}" });
  let all: readonly Subscription[] = [];
  const subscriptions = { of: async () => all };
  const publish = createPublishReport({
    store,
    subscriptions: { ...subscriptions, noProblems: () => "suppress" },
    restrain: createRestrain({ store, clock }),
    clock,
    ids,
  });
  const digest = () => Promise.reject(new Error("no digest is owed"));
  const compose = createComposeDelivery({ store, texts, links, clock, ids, digest });

  return {
    ...side,
    store,
    ids,
    subscriptions,
    subscribe(mode, ...conversations) {
      const common = { repository: "demo", filters: noFilters, severity: "info", locale: "en" } as const;
      all = conversations.map((conversation, n) => {
        return { ...common, id: `sb_${n}`, mode, conversation, origin: "command" };
      });
    },
    async push(result) {
      await store.acceptReview(request({ jobKey: `key-${fresh()}`, now: clock.now() }));
      const job = await claimed(store, clock.now());
      const of = change();
      await store.startReview({ job: job.id, token: job.token, review: job.review.id, change: of, now: clock.now() });
      const outcome: ReviewOutcome =
        result instanceof AppError
          ? { kind: "failed", error: result, change: of, files: [] }
          : { kind: "report", change: of, files: [], report: result, isSettled: async () => true };
      if (!(await publish(job, outcome, timings))) throw new Error("the review's lease was lost");
    },
    async deliver(restarted = false) {
      const client = restarted ? side.restarted() : side.client;
      const channel: Channel = {
        ...client,
        name: "discord",
        capabilities: discordCapabilities,
        routes: [],
        start: async () => undefined,
        stop: async () => undefined,
        health: () => ({ state: "up" }),
        webhook: async () => new Response(null, { status: 404 }),
        react: async () => undefined,
        ask: async () => undefined,
      };
      const channels = new Map([["discord", channel]]);
      const next = createDeliverNext({ store, channels, compose, clock, ids, logger: silentLogger });
      while (await next());
    },
    async stop() {
      await temp.remove();
      await side.stop();
    },
  };
}
