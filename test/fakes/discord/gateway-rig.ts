// A gateway of ours at a fake one of Discord's, on a clock that tests turn by hand.
import { createGateway, type Gateway } from "../../../channels/discord/gateway.ts";
import { CLOSE_MS } from "../../../channels/discord/gateway-connection.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { ChannelStore } from "../../../src/ports/channel-store.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { createMemoryChannelStore } from "../memory-channel-store.ts";
import { silentLogger } from "../silent-logger.ts";
import { type FakeGateway, type FakeGatewayOptions, startFakeGateway } from "./gateway.ts";

const token = "MTA.fake.token";
export const applicationId = "100000000000000001";
export const guild = "200000000000000001";

export interface GatewayRig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
  readonly store: ChannelStore;
  readonly events: { readonly type: string; readonly data: unknown }[];
  readonly fatal: AppError[];
  isTokenLost: boolean;
  /** Settles with the health once it satisfies. */
  became(state: "up" | "down" | "starting"): Promise<string>;
}

const cleanUp: (() => Promise<void>)[] = [];

/** To be awaited after each test: ends what it began. */
export async function endGateways(): Promise<void> {
  for (const end of cleanUp.splice(0).reverse()) await end();
}

export async function fakeGateway(options: Partial<FakeGatewayOptions> = {}): Promise<FakeGateway> {
  const started = await startFakeGateway({ token, applicationId, guilds: [guild], ...options });
  cleanUp.push(() => started.stop());
  return started;
}

export function gatewayRig(
  discord: FakeGateway,
  {
    store = createMemoryChannelStore(),
    clock = createFakeClock(),
    owner = "me",
    given = token,
  }: { store?: ChannelStore; clock?: FakeClock; owner?: string; given?: string } = {},
): GatewayRig {
  const events: { type: string; data: unknown }[] = [];
  const fatal: AppError[] = [];
  const gateway = createGateway({
    token: given,
    apiUrl: discord.apiUrl,
    facts: { applicationId, tokenEnv: "DISCORD_BOT_TOKEN" },
    store,
    clock,
    logger: silentLogger,
    owner,
    isTokenLost: async () => made.isTokenLost,
    dispatch: (type, data) => events.push({ type, data }),
    fatal: (error) => fatal.push(error),
  });
  cleanUp.push(async () => {
    const stopped = gateway.stop();
    await clock.advanceAsync(CLOSE_MS);
    await stopped;
  });
  const made: GatewayRig = {
    gateway,
    clock,
    store,
    events,
    fatal,
    isTokenLost: false,
    async became(state) {
      while (gateway.health().state !== state) await turn();
      return gateway.health().detail ?? "";
    },
  };
  return made;
}

/** One turn of the event loop, in which sockets are read. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
