// The sending half of the Discord channel before the small Discord, with a text channel, and the checks that every test ends with.
import { createDiscordClient, type DiscordClient } from "../../../channels/discord/client.ts";
import { createOpenInteractions, type OpenInteractions } from "../../../channels/discord/open-interactions.ts";
import { createDiscordRest } from "../../../channels/discord/rest.ts";
import type { ConversationRef, PersonRef } from "../../../src/core/delivery.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { type DiscordRestFake, type SeenRequest, startRestFake } from "./rest.ts";
import { createWorld, kinds, type World, type WorldMessage } from "./rest-world.ts";

export interface SendingSide {
  readonly fake: DiscordRestFake;
  readonly world: World;
  readonly clock: FakeClock;
  readonly client: DiscordClient;
  readonly interactions: OpenInteractions;
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  /** What was logged: event names. */
  readonly logged: readonly string[];
  /** A client that knows nothing of what the first one sent, as after a restart. */
  restarted(): DiscordClient;
  conversationOf(channel: string): ConversationRef;
  messages(channel?: string): readonly WorldMessage[];
  /** Requests that changed something, as `METHOD /path`. */
  writes(): readonly string[];
  requests(method: string, path?: RegExp): readonly SeenRequest[];
  /** Throws when a body was against the rules. */
  stop(): Promise<void>;
}

export interface SendingOptions {
  readonly token?: string;
}

export async function startSendingSide(options: SendingOptions = {}): Promise<SendingSide> {
  const clock = createFakeClock();
  const world = createWorld(clock.now);
  const fake = await startRestFake({ world });
  const guild = world.addGuild();
  const channel = world.addChannel(guild.id, kinds.text);
  const person = world.newId();
  const interactions = createOpenInteractions(clock);
  const texts = createTexts({ folders: [] });
  const logged: string[] = [];
  const logger = eventLogger(logged);
  const { token = world.token } = options;

  const make = (open: OpenInteractions): DiscordClient =>
    createDiscordClient({
      rest: createDiscordRest({ token, apiUrl: fake.apiUrl }),
      applicationId: world.application,
      interactions: open,
      clock,
      logger,
      texts: async () => texts,
    });

  return {
    fake,
    world,
    clock,
    client: make(interactions),
    interactions,
    logged,
    conversation: { channel: "discord", workspace: guild.id, conversation: channel.id },
    person: { channel: "discord", workspace: guild.id, person },
    restarted: () => make(createOpenInteractions(clock)),
    conversationOf: (id) => ({ channel: "discord", workspace: guild.id, conversation: id }),
    messages: (id = channel.id) => world.channels.get(id)?.messages ?? [],
    writes: () => fake.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
    requests: (method, path = /^/) => fake.requests.filter((one) => one.method === method && path.test(one.path)),
    async stop() {
      await fake.close();
      if (fake.mistakes.length > 0) throw new Error(`bodies against the rules:\n${fake.mistakes.join("\n")}`);
    },
  };
}

function eventLogger(events: string[]): Logger {
  const log = (event: string): void => void events.push(event);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger;
}
