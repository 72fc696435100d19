// The whole small Discord: its REST interface, its gateway, one server with a channel, and people in it.
import { EventEmitter, once } from "node:events";
import { type FakeGateway, startFakeGateway } from "./gateway.ts";
import { createPeople, type Happened, type People } from "./people.ts";
import { type DiscordRestFake, type RestFakeOptions, startRestFake } from "./rest.ts";
import { createWorld, kinds, type World } from "./rest-world.ts";

export interface FakeDiscord {
  readonly world: World;
  readonly rest: DiscordRestFake;
  readonly gateway: FakeGateway;
  readonly people: People;
  /** For the `api_url` setting. */
  readonly apiUrl: string;
  readonly guild: string;
  /** A text channel of the server. */
  readonly channel: string;
  /** Tells the bot over the gateway. */
  tell(happened: Happened): void;
  /** Tells it, and settles when the bot has acknowledged it, or was refused to. */
  done(happened: Happened): Promise<void>;
  /** Settles when it is so; looks at every turn of the event loop, which keeps a processor busy. */
  until(isSo: () => boolean): Promise<void>;
  /** The same for what another process does; looks after every call of the REST interface. */
  untilCalled(isSo: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeDiscordOptions extends Pick<RestFakeOptions, "routes"> {
  /** Default: the real time. */
  readonly now?: () => number;
}

export async function startFakeDiscord({ now, routes = [] }: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const world = createWorld(now);
  const guild = world.addGuild();
  const channel = world.addChannel(guild.id, kinds.text);
  const gateway = await startFakeGateway({
    token: world.token,
    applicationId: world.application,
    bot: world.bot,
    guilds: [guild.id],
    describe: (id) => ({
      id,
      name: world.guilds.get(id)?.name,
      unavailable: false,
      channels: [...world.channels.values()]
        .filter((one) => one.guild === id)
        .map(({ id: one, type, name }) => ({ id: one, type, name })),
    }),
  });
  const rest = await startRestFake({ world, routes, gateway: () => gateway.info() });

  const called = new EventEmitter();
  const requests = rest.requests as (typeof rest.requests)[number][];
  requests.push = (...seen) => {
    // It is carried out in the same turn of the event loop.
    setImmediate(() => called.emit("call"));
    return Array.prototype.push.apply(requests, seen);
  };

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  function tell({ packet }: Happened): void {
    gateway.dispatch("INTERACTION_CREATE", packet);
  }

  return {
    world,
    rest,
    gateway,
    people: createPeople(world),
    apiUrl: rest.apiUrl,
    guild: guild.id,
    channel: channel.id,
    tell,
    async done(happened) {
      const path = `/interactions/${happened.interaction.id}/`;
      const answered = (): number =>
        rest.requests.filter((one) => one.path.startsWith(path) && one.status !== 0).length;
      const before = answered();
      tell(happened);
      while (answered() <= before) await once(called, "call");
    },
    until,
    async untilCalled(isSo) {
      while (!isSo()) await once(called, "call");
    },
    async stop() {
      await gateway.stop();
      await rest.close();
    },
  };
}
