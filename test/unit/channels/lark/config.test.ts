// The settings: what may stand there, what is missing, and which secrets follow from them.
import { describe, expect, it } from "vitest";
import { larkChannelConfig, secretsOfLark } from "../../../../channels/lark/config.ts";
import { appId } from "../../../fakes/lark/events.ts";

const app = { app_id: appId, app_secret_env: "LARK_APP_SECRET" };

function mistakes(raw: unknown): readonly string[] {
  const read = larkChannelConfig.safeParse(raw);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
}

describe("the settings", () => {
  it("are an app and its secret, and everything else has a default", () => {
    expect(larkChannelConfig.parse(app)).toEqual({
      ...app,
      enabled: true,
      domain: "feishu",
      transport: "long_connection",
      register_command: true,
      menu: { help: "help", repos: "repos", status: "status", subscriptions: "subscriptions", digest: "digest" },
      allow_bots: [],
      webhooks: [],
    });
  });

  it("may be custom bots alone", () => {
    expect(mistakes({ webhooks: [{ name: "games", url_env: "LARK_GAMES_URL" }] })).toEqual([]);
  });

  it.each([
    [{}, "app_id is needed, or webhooks"],
    [{ app_id: appId }, "app_secret_env is needed with app_id"],
    [{ ...app, app_id: undefined, webhooks: [{ name: "a", url_env: "A" }] }, "app_id is needed with app_secret_env"],
    [{ ...app, app_id: "cli_123" }, "app_id must be the app's id: cli_ and 16 hex digits"],
    [{ ...app, domain: "dingtalk" }, "domain must be feishu, lark, or an address such as https://open.example.com"],
    [{ ...app, domain: "https://open.example.com/lark" }, "domain must be feishu"],
    [{ ...app, transport: "webhook" }, "encrypt_key_env is needed with transport: webhook"],
    [{ ...app, transport: "webhook", encrypt_key_env: "KEY" }, "verification_token_env is needed"],
    [{ ...app, app_secret_env: "not-a-name" }, "app_secret_env must be the name of an environment variable"],
    [{ ...app, allow_bots: ["somebody"] }, "allow_bots.0 must be an open id"],
    [{ ...app, menu: { "a b": "help" } }, "menu.a b"],
    [{ ...app, secret: "x" }, "Unrecognized key"],
    [
      { webhooks: ["A", "B"].map((url_env) => ({ name: "games", url_env })) },
      "webhooks.1.name is the name of another webhook",
    ],
  ])("are refused with the place of the mistake: %j", (raw, sentence) => {
    expect(mistakes(raw).join("\n")).toContain(sentence);
  });
});

describe("secrets", () => {
  it("are those of the app, and of what is configured beside it", () => {
    const config = larkChannelConfig.parse({
      ...app,
      transport: "webhook",
      encrypt_key_env: "KEY",
      verification_token_env: "TOKEN",
      webhooks: [{ name: "games", url_env: "GAMES_URL", secret_env: "GAMES_SECRET" }],
    });
    expect(secretsOfLark(config)).toEqual(["LARK_APP_SECRET", "KEY", "TOKEN", "GAMES_URL", "GAMES_SECRET"]);
  });

  it("of the webhook are not needed by the long connection, and none while the channel is off", () => {
    const named = { ...app, encrypt_key_env: "KEY", verification_token_env: "TOKEN" };
    expect(secretsOfLark(larkChannelConfig.parse(named))).toEqual(["LARK_APP_SECRET"]);
    expect(secretsOfLark(larkChannelConfig.parse({ ...named, enabled: false }))).toEqual([]);
  });
});
