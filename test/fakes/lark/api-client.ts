// The product's client against the fake API on loopback, for tests of everything that goes out.
import { createLarkClient, type LarkClient } from "../../../channels/lark/client.ts";
import { createLarkHttp } from "../../../channels/lark/http.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { createLineLogger, type LineLogger } from "../line-logger.ts";
import { createFakeLarkApi, type FakeLarkApi } from "./api.ts";
import { appId, tenantKey } from "./events.ts";
import { listenLark } from "./server.ts";

export const appSecret = "secret-of-the-app-5f2e";
export const group = { channel: "lark", workspace: tenantKey, conversation: "oc_group" };
export const topics = { channel: "lark", workspace: tenantKey, conversation: "oc_topics" };
export const direct = { channel: "lark", workspace: tenantKey, conversation: "oc_direct" };
export const asker = { channel: "lark", workspace: tenantKey, person: "ou_asker" };

export interface ClientOnFake {
  readonly client: LarkClient;
  readonly api: FakeLarkApi;
  readonly clock: FakeClock;
  readonly logger: LineLogger;
  /** What the channel was told about credentials that are refused. */
  readonly refusals: readonly AppError[];
  readonly origin: string;
  /** The platform is gone; the client is not. */
  closeServer(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClientOnFakeOptions {
  readonly secret?: string;
  readonly domainSlash?: boolean;
  readonly timeoutMs?: number;
  /** Of everything, in place of the one that is turned by hand. */
  readonly time?: Clock;
}

export async function createClientOnFake(options: ClientOnFakeOptions = {}): Promise<ClientOnFake> {
  const clock = createFakeClock();
  const time = options.time ?? clock;
  const logger = createLineLogger();
  const api = createFakeLarkApi({ appId, appSecret, clock: time });
  api.addChat(group.conversation, "group");
  api.addChat(topics.conversation, "topic");
  api.addChat(direct.conversation, "p2p", asker.person);
  const server = await listenLark([api]);
  const secret = options.secret ?? appSecret;
  const http = createLarkHttp({
    clock: time,
    timeoutMs: options.timeoutMs ?? 5_000,
    throwCodes: true,
    secrets: [secret],
  });
  const refusals: AppError[] = [];
  let isServing = true;
  const client = createLarkClient({
    appId,
    appSecret: secret,
    domain: options.domainSlash === true ? `${server.origin}/` : server.origin,
    http,
    clock: time,
    logger,
    workspace: tenantKey,
    withoutButtons: async () => "Shown without its buttons.",
    onRefused: (error) => void refusals.push(error),
  });
  return {
    client,
    api,
    clock,
    logger,
    refusals,
    origin: server.origin,
    async closeServer() {
      isServing = false;
      await server.close();
    },
    async stop() {
      await http.close();
      if (isServing) await server.close();
      isServing = false;
    },
  };
}
