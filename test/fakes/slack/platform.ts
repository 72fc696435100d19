// A whole Slack on loopback, with nobody connected to it yet: the Web API, Socket Mode, and the bodies that people's doings make.
import type { Clock } from "../../../src/ports/clock.ts";
import { createPayloads, type Payloads } from "./payloads.ts";
import { createFakeSockets, type FakeSockets } from "./sockets.ts";
import { type SlackWebApi, startSlackWebApi } from "./web-api.ts";

export const appToken = "xapp-1-A0001-1-abcdef";

export interface SlackPlatform {
  readonly slack: SlackWebApi;
  readonly sockets: FakeSockets;
  readonly payloads: Payloads;
  stop(): Promise<void>;
}

export async function startSlackPlatform(clock: Clock): Promise<SlackPlatform> {
  const slack = await startSlackWebApi({ clock });
  const sockets = await createFakeSockets(appToken);
  slack.extend("apps.connections.open", { given: {}, token: "app" }, (_given, token) => {
    const answer = sockets.open(token === "" ? undefined : `Bearer ${token}`);
    return "status" in answer ? { ok: false, error: "internal_error" } : { ...answer };
  });
  const { team, bot } = slack;
  const payloads = createPayloads({
    team: team.id,
    botUserId: bot.botUserId,
    trigger: (user) => slack.trigger(user),
    responseUrl: (...given) => slack.responseUrl(...given),
    nextId: (prefix) => slack.state.nextId(prefix),
    now: () => Math.floor(clock.now() / 1_000),
  });
  return {
    slack,
    sockets,
    payloads,
    async stop() {
      await sockets.stop();
      await slack.stop();
    },
  };
}
