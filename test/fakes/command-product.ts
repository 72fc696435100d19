// Everything that answers commands, over a real store: what people type goes in, and what they read comes out.
import { createAcceptChange } from "../../src/app/accept-change.ts";
import { createShowFinding } from "../../src/app/show-finding.ts";
import type { ProgressNote } from "../../src/app/show-progress.ts";
import { createSubscriptionDirectory } from "../../src/app/subscription-directory.ts";
import { createTurns } from "../../src/app/turns.ts";
import { createActionCards } from "../../src/cards/action-cards.ts";
import { noLinks } from "../../src/cards/links.ts";
import { readableText } from "../../src/cards/readable-text.ts";
import { composeCommands } from "../../src/compose-commands.ts";
import { configuredLanguage, configuredSubscriptions, configuredVisibility } from "../../src/compose-listeners.ts";
import type { Config, SubscriptionConfig } from "../../src/config/config.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import type { Role, RoleGrant } from "../../src/core/roles.ts";
import type { Agent } from "../../src/ports/agent.ts";
import type { CommandReply } from "../../src/ports/channel.ts";
import type { Texts } from "../../src/ports/texts.ts";
import type { Vcs } from "../../src/ports/vcs.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { createFakeChannel, fakeConversation } from "./fake-channel.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createFixedIds } from "./fixed-ids.ts";
import { silentLogger } from "./silent-logger.ts";
import { createTempStore } from "./temp-store.ts";

const texts: Texts = createTexts({ folders: [] });

export interface CommandProductOptions {
  readonly roles?: readonly RoleGrant[];
  readonly quotas?: Config["quotas"];
  readonly subscriptions?: readonly SubscriptionConfig[];
  /** Conversations that may see the repository `secret`; nobody else may. */
  readonly secretTo?: readonly ConversationRef[];
  /** What the VCS makes of a revision; by default it knows none. */
  readonly resolve?: Vcs["resolve"];
}

export interface Said {
  readonly text: string;
  readonly reply: CommandReply;
}

export interface SayOptions {
  readonly person?: string;
  readonly roles?: readonly Role[];
  readonly groups?: readonly string[];
  readonly conversation?: ConversationRef;
  readonly locale?: string;
}

export const otherConversation: ConversationRef = { ...fakeConversation, conversation: "other" };

export type CommandProduct = Awaited<ReturnType<typeof createCommandProduct>>;

/** Ada is a maintainer unless said otherwise; there are the repositories `demo`, `game`, `secret` and `depot` (of Perforce). */
export async function createCommandProduct(options: CommandProductOptions = {}) {
  const temporary = await createTempStore();
  const { store } = temporary;
  const clock = createFakeClock(Date.UTC(2026, 2, 10, 12));
  const ids = createFixedIds();
  const channel = createFakeChannel("fake");
  const notes: { readonly review: string; readonly note: ProgressNote }[] = [];
  const repositories = ["demo", "game", "secret", "depot"].map((alias) => ({
    alias,
    vcs: "git" as const,
    source: alias === "depot" ? { kind: "p4", depotPath: "//depot/game/..." } : { kind: "path", path: "/nowhere" },
    web: {},
    agent: "checks",
    pollMs: 0,
    ...(alias === "secret" ? { visibleTo: options.secretTo ?? [] } : {}),
  }));
  const config = {
    repositories,
    language: "en",
    roles: options.roles ?? [],
    quotas: options.quotas ?? { person: 10, conversation: 30, admin: 300 },
    subscriptions: options.subscriptions ?? [],
    noProblems: "suppress",
  } as unknown as Config;
  const visibility = configuredVisibility(config);
  const directory = createSubscriptionDirectory({
    store,
    configured: configuredSubscriptions(config),
    configuredLanguage: configuredLanguage(config),
    visibility,
    noProblems: () => "suppress",
    defaultLocale: "en",
  });
  const vcs = { resolve: options.resolve ?? (() => Promise.reject(new Error("unknown"))) } as unknown as Vcs;
  const woken = { reviews: 0, deliveries: 0 };
  const channels = new Map([["fake", channel]]);
  const handle = composeCommands({
    names: { review: "/review", verbs: "/review" },
    config,
    store,
    reviewing: {
      acceptChange: createAcceptChange({ store, clock, ids }),
      agents: new Map([["checks", {} as Agent]]),
      subscriptions: directory,
      vcs: new Map(repositories.map(({ alias }) => [alias, vcs])),
    },
    visibility,
    channels,
    showFinding: createShowFinding({
      store,
      channels,
      cards: createActionCards({ texts, links: () => noLinks, command: "/review" }),
      inTurn: createTurns(),
      clock,
      logger: silentLogger,
    }),
    progress: {
      open: async () => {},
      note: async (review, note) => void notes.push({ review, note }),
    },
    explain: () => {
      throw new Error("nothing is explained here");
    },
    texts,
    clock,
    ids,
    wakeReviews: () => void woken.reviews++,
    wakeDeliveries: () => void woken.deliveries++,
  });
  let events = 0;

  return {
    store,
    clock,
    channel,
    directory,
    notes,
    woken,
    async say(text: string, who: SayOptions = {}): Promise<Said> {
      const conversation = who.conversation ?? fakeConversation;
      const person = who.person ?? "ada";
      const reply = await handle({
        conversation,
        person: { channel: conversation.channel, workspace: conversation.workspace, person, name: person },
        eventId: `event${++events}`,
        text,
        roles: who.roles ?? (person === "ada" ? ["maintainer"] : []),
        ...(who.groups === undefined ? {} : { groups: who.groups }),
        ...(who.locale === undefined ? {} : { locale: who.locale }),
      });
      if (reply === null) throw new Error("every command is answered");
      return { reply, text: reply.page === null ? "" : readableText(reply.page.card) };
    },
    remove: () => temporary.remove(),
  };
}
