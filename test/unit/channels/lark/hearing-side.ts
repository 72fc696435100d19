// The receiving half of the channel with everything around it faked: pushes go in, what the core and the chat see comes out.
import { createHearing, type HearingSide } from "../../../../channels/lark/hearing.ts";
import type { Hearing } from "../../../../channels/lark/inbound.ts";
import { createWords } from "../../../../channels/lark/words.ts";
import type { Page } from "../../../../src/core/card.ts";
import type { MessageRef, Target } from "../../../../src/core/delivery.ts";
import type {
  CommandReply,
  InboundAction,
  InboundCommand,
  InboundLifecycle,
  Inbox,
} from "../../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import type { Logger } from "../../../../src/ports/logger.ts";
import type { Texts } from "../../../../src/ports/texts.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { botOpenId, type NativeBody } from "../../../fakes/lark/events.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";

export interface Sent {
  readonly target: Target;
  readonly page: Page;
  readonly key: string;
}

export interface HearingFixture {
  readonly side: HearingSide;
  readonly clock: FakeClock;
  readonly store: ChannelStore;
  readonly commands: InboundCommand[];
  readonly actions: InboundAction[];
  readonly lifecycles: InboundLifecycle[];
  readonly sent: Sent[];
  readonly removed: MessageRef[];
  /** Messages with the bot's reaction. */
  readonly reacted: string[];
  readonly logged: string[];
  /** Names that the platform tells. */
  readonly names: Map<string, string>;
  /** What the core does; replaced by tests. */
  readonly core: {
    command: (inbound: InboundCommand) => Promise<CommandReply | null>;
    action: (inbound: InboundAction) => Promise<void>;
    send: (sent: Sent) => Promise<void>;
  };
  push(body: NativeBody): Promise<unknown>;
  /** The same store, another process. */
  restart(): HearingFixture;
}

/** Texts that show their key and values. */
export const echoTexts: Texts = {
  text: (key, locale, params) => `${key}@${locale}${params === undefined ? "" : JSON.stringify(params)}`,
  has: () => true,
  render: () => {
    throw new Error("no templates here");
  },
};

export function makeHearing(
  given: { clock?: FakeClock; store?: ChannelStore; hearing?: Partial<Hearing>; texts?: () => Promise<Texts> } = {},
): HearingFixture {
  const { clock = createFakeClock(), store = createMemoryChannelStore() } = given;
  const commands: InboundCommand[] = [];
  const actions: InboundAction[] = [];
  const lifecycles: InboundLifecycle[] = [];
  const sent: Sent[] = [];
  const removed: MessageRef[] = [];
  const reacted: string[] = [];
  const logged: string[] = [];
  const names = new Map<string, string>();
  const core: HearingFixture["core"] = {
    command: async () => null,
    action: async () => undefined,
    send: async () => undefined,
  };
  const inbox: Inbox = {
    async command(inbound) {
      commands.push(inbound);
      return core.command(inbound);
    },
    async action(inbound) {
      actions.push(inbound);
      return core.action(inbound);
    },
    suggest: async () => [],
    home: async () => Promise.reject(new Error("there is no home here")),
    async lifecycle(inbound) {
      lifecycles.push(inbound);
    },
  };
  const log = (event: string): void => void logged.push(event);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const channel = {
    async send(target: Target, page: Page, key: string): Promise<MessageRef> {
      await core.send({ target, page, key });
      sent.push({ target, page, key });
      return { ...target.conversation, message: `om_sent${sent.length}` };
    },
    async remove(ref: MessageRef): Promise<void> {
      removed.push(ref);
    },
    async react({ message }: MessageRef, kind: string): Promise<void> {
      reacted.push(`${message} ${kind}`);
    },
    tellsElsewhere: async ({ thread }: Target) => thread !== undefined,
  };
  const side = createHearing({
    config: { menu: { repos: "repos" } },
    inbox,
    channel,
    people: { known: (openId) => names.get(openId), name: async (openId) => names.get(openId) },
    words: createWords(given.texts ?? (async () => echoTexts), "en"),
    store,
    clock,
    logger,
    hearing: { botOpenId, commandName: "review", allowedBots: [], ...given.hearing },
  });
  return {
    ...{ side, clock, store, commands, actions, lifecycles, sent, removed, reacted, logged, names, core },
    push: (body) => side.dispatcher.dispatch(body),
    restart: () => makeHearing({ ...given, clock, store }),
  };
}
