// What happens around a start: who the bot is, the command in the panel, forms as cards, and answers of the endpoint.
import { beforeEach, describe, expect, it } from "vitest";
import { formCard } from "../../../../channels/lark/card/form-card.ts";
import { lintCard } from "../../../../channels/lark/card/lint-card.ts";
import { type EndpointRefusal, watchEndpoint } from "../../../../channels/lark/endpoint.ts";
import { type LarkHttp, LarkHttpError } from "../../../../channels/lark/http.ts";
import { createIdentity } from "../../../../channels/lark/identity.ts";
import { createPeople } from "../../../../channels/lark/people.ts";
import type { SdkCall } from "../../../../channels/lark/sdk.ts";
import { requiredSecret } from "../../../../channels/lark/secrets.ts";
import { registerCommand } from "../../../../channels/lark/slash.ts";
import { createWords } from "../../../../channels/lark/words.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { InboundAction } from "../../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";
import { echoTexts } from "./hearing-side.ts";

describe("who the bot is", () => {
  it("is asked until the platform answers, and told once", async () => {
    const clock = createFakeClock();
    let asked = 0;
    const found: string[] = [];
    const identity = createIdentity(
      async () => {
        asked += 1;
        if (asked < 4) throw new Error("no network");
        return "ou_bot";
      },
      clock,
      silentLogger,
    );
    identity.find((openId) => found.push(openId));
    await clock.advanceAsync(0);
    expect(identity.health()).toEqual({ state: "down", detail: "The bot cannot be looked up: no network" });
    await clock.advanceAsync(2_000 + 4_000);
    expect([asked, found]).toEqual([3, []]);
    await clock.advanceAsync(8_000);
    expect([asked, found]).toEqual([4, ["ou_bot"]]);
    expect(identity.health()).toEqual({ state: "up" });
    expect(clock.pending()).toBe(0);
  });

  it("is doubted when the credentials are refused, until the platform takes them again", async () => {
    const clock = createFakeClock();
    let isRefused = false;
    const found: string[] = [];
    const ask = async (): Promise<string> => {
      if (isRefused) throw new Error("refused");
      return "ou_bot";
    };
    const identity = createIdentity(ask, clock, silentLogger);
    identity.find((openId) => found.push(openId));
    await clock.advanceAsync(0);
    isRefused = true;
    identity.doubt("The secret is not taken. Check it.");
    identity.doubt("The secret is not taken. Check it.");
    expect(identity.health()).toEqual({ state: "down", detail: "The secret is not taken. Check it." });
    expect(clock.pending()).toBe(1);
    await clock.advanceAsync(30_000);
    expect(identity.health().state).toBe("down");
    isRefused = false;
    await clock.advanceAsync(30_000);
    expect(identity.health()).toEqual({ state: "up" });
    expect(found).toEqual(["ou_bot"]);
    expect(clock.pending()).toBe(0);
  });

  it("is asked no more after a stop", async () => {
    const clock = createFakeClock();
    const identity = createIdentity(() => Promise.reject(new Error("no")), clock, silentLogger);
    identity.find(() => undefined);
    await clock.advanceAsync(0);
    identity.stop();
    expect(clock.pending()).toBe(0);
  });
});

describe("the command in the panel", () => {
  const path = "/open-apis/application/v7/app_slash_commands";
  let store: ChannelStore;
  let calls: SdkCall[];
  let items: { command: string; command_id: string }[];
  let isRefused: boolean;

  beforeEach(() => {
    store = createMemoryChannelStore();
    calls = [];
    items = [];
    isRefused = false;
  });

  async function register(commandName = "review"): Promise<readonly string[]> {
    calls = [];
    await registerCommand({
      api: {
        async call(call) {
          calls.push(call);
          if (isRefused) throw new Error("no permission");
          return call.method === "GET" ? { items } : {};
        },
      },
      store,
      words: createWords(async () => echoTexts, "en"),
      logger: silentLogger,
      appId: "cli_0123456789abcdef",
      commandName,
    });
    return calls.map(({ method, path: at }) => `${method} ${at.replace(path, "")}`);
  }

  it("is made once, and left alone while it is the same", async () => {
    expect(await register()).toEqual(["GET ", "POST "]);
    expect(calls[1]?.body).toEqual({
      command: "review",
      description: {
        default_value: "lark.command@en",
        i18n: { en_us: "lark.command@en", zh_cn: "lark.command@zh-CN", vi_vn: "lark.command@vi" },
      },
    });
    expect(await register()).toEqual([]);
  });

  it("is changed in place where it stands already", async () => {
    items = [{ command: "review", command_id: "c/1" }];
    expect(await register()).toEqual(["GET ", "PATCH /c%2F1"]);
    expect(calls[1]?.body).not.toHaveProperty("command");
  });

  it("follows another name, and the old one goes", async () => {
    await register();
    items = [{ command: "review", command_id: "c1" }];
    expect(await register("aicr")).toEqual(["GET ", "POST ", "DELETE /c1"]);
  });

  it("that the platform refuses is no fault, and is tried at the next start", async () => {
    isRefused = true;
    expect(await register()).toEqual(["GET "]);
    isRefused = false;
    expect(await register()).toEqual(["GET ", "POST "]);
  });
});

describe("a form", () => {
  const conversation = { channel: "lark", workspace: "tk", conversation: "oc_main" };
  const trigger: InboundAction = {
    conversation,
    person: { channel: "lark", workspace: "tk", person: "ou_asker" },
    eventId: "ev_1",
    token: "v1:abc",
    message: { ...conversation, thread: "om_root", message: "om_card" },
    values: {},
    roles: [],
  };
  const fields = [
    { name: "reason", label: "Why <at id=all></at>?", multiline: false, required: true },
    { name: "more", label: "More", multiline: true, required: false },
  ];

  it("is a card that the linter accepts, with the place it was asked for in its button", () => {
    const form = { title: "Why is this no problem?", token: "v1:abc", fields };
    const card = formCard({ form, trigger, submit: "Send", place: { isEphemeral: true } });
    expect(lintCard(card)).toEqual([]);
    expect(JSON.stringify(card)).toContain(
      JSON.stringify({
        token: "v1:abc",
        chat: "oc_main",
        message: "om_card",
        seen_by: "one",
        asker: "ou_asker",
        thread: "om_root",
      }),
    );
  });
});

describe("names of people", () => {
  function lookUp(answer: () => Promise<Readonly<Record<string, unknown>>>) {
    const clock = createFakeClock();
    let asked = 0;
    const api = {
      async call() {
        asked += 1;
        return answer();
      },
    };
    return { clock, people: createPeople(api, clock, silentLogger), asked: () => asked };
  }

  it("are asked for once, however many ask, and once more the next day", async () => {
    const { clock, people, asked } = lookUp(async () => ({ user: { name: " Ann Lee " } }));
    expect(people.known("ou_1")).toBeUndefined();
    expect(await Promise.all([people.name("ou_1", 100), people.name("ou_1", 100)])).toEqual(["Ann Lee", "Ann Lee"]);
    expect([people.known("ou_1"), asked()]).toEqual(["Ann Lee", 1]);
    clock.advance(24 * 3_600_000);
    await people.name("ou_1", 100);
    expect(asked()).toBe(2);
  });

  it("that the platform does not tell are not asked for again within the hour", async () => {
    const { clock, people, asked } = lookUp(() => Promise.reject(new Error("no permission")));
    expect(await people.name("ou_1", 100)).toBeUndefined();
    clock.advance(3_599_000);
    expect(await people.name("ou_1", 100)).toBeUndefined();
    expect(asked()).toBe(1);
    clock.advance(1_000);
    await people.name("ou_1", 100);
    expect(asked()).toBe(2);
  });

  it("that come too late are known the next time", async () => {
    let tell = (): void => undefined;
    const { clock, people } = lookUp(
      () =>
        new Promise((resolve) => {
          tell = () => resolve({ user: { name: "Ann" } });
        }),
    );
    const name = people.name("ou_1", 100);
    await clock.advanceAsync(100);
    expect(await name).toBeUndefined();
    tell();
    await clock.advanceAsync(0);
    expect(people.known("ou_1")).toBe("Ann");
    expect(clock.pending()).toBe(0);
  });
});

describe("the endpoint's answers", () => {
  async function watched(answer: () => Promise<unknown>): Promise<readonly EndpointRefusal[]> {
    const refusals: EndpointRefusal[] = [];
    const http = { request: answer } as unknown as LarkHttp;
    const url = "http://127.0.0.1:1/callback/ws/endpoint";
    await watchEndpoint(http, (refusal) => refusals.push(refusal))
      .request({ url })
      .catch(() => undefined);
    return refusals;
  }

  it.each([
    ["an address", { code: 0, data: { URL: "ws://127.0.0.1" } }, []],
    ["a code", { code: 514, msg: "auth failed", data: {} }, [{ code: 514, reason: "auth failed" }]],
    ["a code beside data that is null", { code: 514, msg: "", data: null }, [{ code: 514, reason: "no reason given" }]],
    ["no data at all", { code: 0 }, [{ reason: "the platform named no address" }]],
    ["nothing", undefined, [{ reason: "no reason given" }]],
  ])("%s", async (_, answer, expected) => {
    expect(await watched(async () => answer)).toEqual(expected);
  });

  it("that fail are refusals too", async () => {
    const error = new LarkHttpError({ stage: "unsent", what: "POST /callback/ws/endpoint", reason: "ECONNREFUSED" });
    expect(await watched(() => Promise.reject(error))).toEqual([{ reason: error.message }]);
  });

  it("of other addresses are none of its business", async () => {
    const refusals: EndpointRefusal[] = [];
    const http = { request: async () => ({ code: 5 }) } as unknown as LarkHttp;
    await watchEndpoint(http, (refusal) => refusals.push(refusal)).request({ url: "http://127.0.0.1/open-apis/x" });
    expect(refusals).toEqual([]);
  });
});

describe("a secret", () => {
  it("that is not set stops the start and names its variable", () => {
    const thrown = (name: string | undefined): unknown => {
      try {
        return requiredSecret(name, () => "");
      } catch (error) {
        return error;
      }
    };
    expect(thrown("LARK_APP_SECRET")).toBeInstanceOf(AppError);
    expect(thrown("LARK_APP_SECRET")).toMatchObject({
      code: "config",
      message: "The variable LARK_APP_SECRET is not set.",
    });
    expect(thrown(undefined)).toMatchObject({ code: "config" });
  });
});
