// The manifest is one that Slack takes, and says what the channel does.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { readEvent } from "../../../../channels/slack/inbound-events.ts";
import { redirectPath } from "../../../../channels/slack/install.ts";
import { allBotScopes } from "../../../../channels/slack/scopes.ts";
import { reviewShortcut } from "../../../../channels/slack/shortcut.ts";

const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const manifest = JSON.parse(readFileSync(fromHere("../../../../channels/slack/manifest.json"), "utf8"));
const schemaFile = fromHere("../../../../../shared/data/slack/manifest.schema.2.0.0.json");

describe("manifest", () => {
  it.skipIf(!existsSync(schemaFile))(
    "keeps Slack's published schema (skipped: the schema is not beside the repository)",
    () => {
      const ajv = new Ajv({ strict: false, allErrors: true });
      formats.default(ajv);
      const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8")));
      validate(manifest);
      expect(validate.errors ?? []).toEqual([]);
      // The schema does refuse something: it caught a name of thirty characters before.
      const long = structuredClone(manifest);
      long.features.shortcuts[0].name = "Find revisions and review them";
      expect(validate(long)).toBe(false);
    },
  );

  it("asks for the scopes that are needed, and for no others", () => {
    const { bot, bot_optional } = manifest.oauth_config.scopes;
    expect([...new Set([...bot, ...bot_optional])].sort()).toEqual([...allBotScopes].sort());
  });

  it("subscribes to the events that are understood, and to no others", () => {
    const base = {
      channel: "C0001",
      user: "U0001",
      ts: "1.1",
      tab: "home",
      channel_type: "im",
      tokens: { bot: ["U1"] },
    };
    for (const name of manifest.settings.event_subscriptions.bot_events as string[]) {
      const type = name.startsWith("message.") ? "message" : name;
      const read = readEvent({ team_id: "T0001", event: { ...base, type } }, "U0002");
      const known =
        type === "member_joined_channel"
          ? { why: "somebody else joined" }
          : { kind: expect.not.stringMatching("ignored") };
      expect(read, name).toMatchObject(known);
    }
  });

  it("names the command, the shortcut and the address that the channel answers", () => {
    const { slash_commands, shortcuts } = manifest.features;
    expect(slash_commands).toMatchObject([{ command: "/review", should_escape: false }]);
    expect(shortcuts).toMatchObject([{ callback_id: reviewShortcut, type: "message" }]);
    expect(manifest.oauth_config.redirect_urls[0]).toMatch(new RegExp(`${redirectPath}$`));
    expect(manifest.settings.socket_mode_enabled).toBe(true);
  });
});
