// Custom bots: signed, within 20 KB and the pace, every refusal read on HTTP 200, link buttons only, and no address in any log.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LarkCard } from "../../../../channels/lark/card/elements.ts";
import { larkChannelConfig } from "../../../../channels/lark/config.ts";
import { createLarkWebhookChannel, signatureOf } from "../../../../channels/lark/webhook-bot.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { type Channel, ChannelError, type ChannelFault } from "../../../../src/ports/channel.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createFixedIds } from "../../../fakes/fixed-ids.ts";
import { createFakeHooks, type FakeHooks } from "../../../fakes/lark/hook.ts";
import { type LarkServer, listenLark } from "../../../fakes/lark/server.ts";
import { createLineLogger, everythingOf, type LineLogger } from "../../../fakes/line-logger.ts";
import { replies, root } from "../../../fakes/sample-cards.ts";
import { createScriptedInbox, plainPage } from "../../../fakes/scripted-inbox.ts";

const signed = { token: "hook-token-signed-1", secret: "signing-secret-77" };
const keyed = { token: "hook-token-keyed-2", keyword: "review" };

let clock: FakeClock;
let hooks: FakeHooks;
let server: LarkServer;
let logger: LineLogger;
let channel: Channel;

beforeEach(async () => {
  clock = createFakeClock();
  hooks = createFakeHooks([signed, keyed], clock);
  server = await listenLark([hooks]);
  logger = createLineLogger();
  channel = createLarkWebhookChannel({
    config: config(),
    secret: (name) => secrets()[name],
    clock,
    ids: createFixedIds(),
    logger,
  });
  await channel.start(createScriptedInbox());
});
afterEach(async () => {
  await channel.stop();
  await server.close();
});

function secrets(): Readonly<Record<string, string>> {
  return {
    TEAM_URL: `${server.origin}/open-apis/bot/v2/hook/${signed.token}`,
    TEAM_SECRET: signed.secret,
    OPEN_URL: `${server.origin}/open-apis/bot/v2/hook/${keyed.token}`,
    LOST_URL: `${server.origin}/open-apis/bot/v2/hook/hook-token-nobody`,
  };
}

function config() {
  return larkChannelConfig.parse({
    webhooks: [
      { name: "team", url_env: "TEAM_URL", secret_env: "TEAM_SECRET" },
      { name: "open", url_env: "OPEN_URL", keyword: "review" },
      { name: "lost", url_env: "LOST_URL" },
    ],
  });
}

const to = (conversation: string) => ({ conversation: { channel: "lark-webhook", workspace: "local", conversation } });

async function faultOf(call: Promise<unknown>): Promise<ChannelFault> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ChannelError);
  return (thrown as ChannelError).fault;
}

function refuse(code: number, msg = "x"): void {
  hooks.answerNext({ status: 200, body: { code, msg, data: {} } });
}

describe("the signature", () => {
  it("is the platform's: key and message are not what one would think", () => {
    expect(signatureOf("demo", 1_599_360_473)).toBe("l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=");
  });

  it("goes with every post, with the time in seconds", async () => {
    await channel.send(to("team"), plainPage("Hi"), "dl_1/0");
    expect(hooks.posts(signed.token)).toMatchObject([
      { timestamp: String(clock.now() / 1_000), msg_type: "interactive" },
    ]);
  });

  it("that does not fit is a matter of the credentials (19021)", async () => {
    const other = createLarkWebhookChannel({
      config: config(),
      secret: (name) => (name === "TEAM_SECRET" ? "another" : secrets()[name]),
      clock,
      ids: createFixedIds(),
      logger,
    });
    await other.start(createScriptedInbox());
    expect(await faultOf(other.send(to("team"), plainPage("Hi"), "dl_1/0"))).toBe("auth");
    await other.stop();
  });
});

describe("a post", () => {
  it("shows the card with its link buttons, and leaves out those that nobody would hear", async () => {
    await channel.send(to("team"), { card: replies[0] ?? root }, "dl_1/0");
    const card = hooks.posts(signed.token)[0]?.["card"] as LarkCard;
    const labels = JSON.stringify(card).match(/"content":"(?:Acknowledge|Dismiss|Open)"/g);
    expect(labels).toEqual(['"content":"Open"']);
  });

  it("names people without knowing them", async () => {
    const mentions = [{ channel: "lark", workspace: "t", person: "ou_author", name: "Linh" }];
    await channel.send(to("team"), { ...plainPage("Hi"), mentions }, "dl_1/0");
    expect(JSON.stringify(hooks.posts(signed.token)[0])).not.toContain("<at");
    expect(JSON.stringify(hooks.posts(signed.token)[0])).toContain("@Linh");
  });

  it("holds the keyword that the bot's settings ask for", async () => {
    await channel.send(to("open"), plainPage("Hi"), "dl_1/0");
    await channel.send(to("open"), plainPage("A review"), "dl_2/0");
    const cards = hooks.posts(keyed.token).map(({ card }) => (card as LarkCard).body.elements.length);
    expect(cards).toEqual([2, 1]);
  });

  it("of more than 20 KB is too large, and is not sent", async () => {
    const page = plainPage("Vast", { blocks: [{ kind: "code", text: "x".repeat(20_300) }] });
    expect(await faultOf(channel.send(to("team"), page, "dl_1/0"))).toBe("too_large");
    expect(hooks.bodies).toEqual([]);
  });

  it("keeps to 5 a second and 100 a minute, and loses nothing of a burst", async () => {
    const sends = Array.from({ length: 12 }, (_, index) =>
      channel.send(to("team"), plainPage(`${index}`), `dl_${index}/0`),
    );
    const all = Promise.all(sends);
    for (let passed = 0; passed < 40; passed += 1) {
      await clock.advanceAsync(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(hooks.posts(signed.token)).toHaveLength(12);
  });

  it("whose card is refused is sent as text, with a line in the log", async () => {
    refuse(230099, "Failed to create card content, ext=ErrCode: 200621; ErrMsg: unknown property");
    await channel.send(to("open"), { card: root }, "dl_1/0");
    const [message] = hooks.posts(keyed.token);
    expect(message).toMatchObject({ msg_type: "text" });
    expect(JSON.stringify(message)).toContain("review");
    expect(logger.has("lark.card_refused")).toBe(true);
  });
});

describe("the code in an answer with HTTP 200", () => {
  const table: readonly (readonly [number, string, ChannelFault])[] = [
    [19021, "sign match fail", "auth"],
    [19001, "token invalid", "auth"],
    [19024, "Key Words Not Found", "rejected"],
    [19036, "request body too large", "too_large"],
    [9499, "too many request", "rate_limited"],
    [9499, "Bad Request", "rejected"],
    [11232, "rate limit at full and half hours", "rate_limited"],
  ];
  it.each(table)("%i (%s) is %s", async (code, msg, fault) => {
    refuse(code, msg);
    expect(await faultOf(channel.send(to("team"), plainPage("Hi"), "dl_1/0"))).toBe(fault);
  });

  it("11232 waits for the crowd to pass", async () => {
    refuse(11232);
    const thrown = await channel.send(to("team"), plainPage("Hi"), "dl_1/0").catch((error: unknown) => error);
    expect(thrown).toMatchObject({ retryAfterMs: 15_000 });
  });

  it("is read in the older form as well (StatusCode)", async () => {
    hooks.answerNext({ status: 200, body: { StatusCode: 9499, StatusMessage: "too many request" } });
    expect(await faultOf(channel.send(to("team"), plainPage("Hi"), "dl_1/0"))).toBe("rate_limited");
  });

  it("of a bot that was removed is a matter for an operator", async () => {
    expect(await faultOf(channel.send(to("lost"), plainPage("Hi"), "dl_1/0"))).toBe("auth");
  });
});

describe("an answer that does not come", () => {
  it("leaves it uncertain, and nobody can look: it is not sent twice", async () => {
    hooks.loseNext();
    expect(await faultOf(channel.send(to("team"), plainPage("Hi"), "dl_1/0"))).toBe("uncertain");
    expect(channel.capabilities.find).toBe(false);
    expect(await channel.find(to("team"), "dl_1/0", 0)).toBe("unknown");
  });
});

describe("what it cannot do", () => {
  it("is denied, and capabilities say so", async () => {
    const ref = await channel.send(to("team"), plainPage("Hi"), "dl_1/0");
    const { capabilities } = channel;
    expect(capabilities).toMatchObject({
      thread: "none",
      edit: false,
      ephemeral: false,
      reactions: false,
      files: false,
      forms: false,
    });
    const person = { channel: "lark-webhook", workspace: "local", person: "ou_x" };
    const trigger = { ...to("team"), person, eventId: "e", token: "v1:t", message: ref, values: {}, roles: [] };
    expect(await faultOf(channel.edit(ref, plainPage("Ho")))).toBe("rejected");
    expect(await faultOf(channel.remove(ref))).toBe("rejected");
    expect(await faultOf(channel.react(ref, "seen"))).toBe("rejected");
    expect(await faultOf(channel.ask(trigger, { title: "?", token: "v1:f", fields: [] }))).toBe("rejected");
    expect(await faultOf(channel.attach(to("team"), { name: "a", mediaType: "text/plain", text: "x" }, "k"))).toBe(
      "rejected",
    );
    expect(await faultOf(channel.send({ ...to("team"), onlyFor: person }, plainPage("Psst"), "k"))).toBe("rejected");
    expect(await channel.permalink(ref)).toBeNull();
  });

  it("hears nothing", async () => {
    expect(channel.routes).toEqual([]);
    expect((await channel.webhook(new Request("http://127.0.0.1/x"))).status).toBe(404);
  });

  it("knows no other conversations, and no other channel's", async () => {
    expect(await faultOf(channel.send(to("nobody"), plainPage("Hi"), "k"))).toBe("rejected");
    const foreign = { conversation: { channel: "lark", workspace: "local", conversation: "team" } };
    expect(await faultOf(channel.send(foreign, plainPage("Hi"), "k"))).toBe("rejected");
  });
});

describe("settings", () => {
  const made = (secret: (name: string) => string | undefined) => () =>
    createLarkWebhookChannel({ config: config(), secret, clock, ids: createFixedIds(), logger });

  it.each([
    ["no address", undefined],
    ["an address elsewhere", "https://evil.example.org/collect"],
    ["an address without TLS", "http://open.feishu.cn/open-apis/bot/v2/hook/x"],
    ["no address at all", "hook-token"],
  ])("with %s are refused, with the variable's name and without its value", (_, url) => {
    const make = made((name) => (name === "TEAM_URL" ? url : secrets()[name]));
    expect(make).toThrow(AppError);
    try {
      make();
    } catch (thrown) {
      expect((thrown as AppError).remedy).toContain("TEAM_URL");
      if (url !== undefined) expect(JSON.stringify(everythingOf(thrown))).not.toContain(url);
    }
  });

  it("with a signing secret that is not set are refused", () => {
    expect(made((name) => (name === "TEAM_SECRET" ? undefined : secrets()[name]))).toThrow(/signing secret/);
  });
});

describe("the bot's address", () => {
  it("stands in no log and no error", async () => {
    hooks.loseNext();
    const lost = await channel.send(to("team"), plainPage("Hi"), "k1").catch((error: unknown) => error);
    refuse(19021, `no bot ${signed.token} with ${signed.secret}`);
    const refused = await channel.send(to("team"), plainPage("Hi"), "k2").catch((error: unknown) => error);
    const seen = JSON.stringify([everythingOf(lost), everythingOf(refused), logger.text()]);
    expect(seen).not.toContain(signed.token);
    expect(seen).not.toContain(signed.secret);
  });
});

describe("health", () => {
  it("is up when started and down when stopped; what comes later is not sent", async () => {
    expect(channel.health().state).toBe("up");
    await channel.stop();
    expect(channel.health().state).toBe("down");
    expect(await faultOf(channel.send(to("team"), plainPage("Hi"), "k"))).toBe("not_sent");
  });
});
