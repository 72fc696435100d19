// What the manifest tells people to set at Discord is what the code needs, neither more nor less.
import { readFileSync } from "node:fs";
import { GatewayIntentBits } from "discord.js";
import { describe, expect, it } from "vitest";
import { commandBodies } from "../../../../channels/discord/commands.ts";
import { discordChannelConfig } from "../../../../channels/discord/config.ts";
import { intents } from "../../../../channels/discord/gateway-connection.ts";
import { neededPermissions, permissionsInteger, usefulPermissions } from "../../../../channels/discord/permissions.ts";
import { createTexts } from "../../../../src/templates/create-texts.ts";

const folder = new URL("../../../../channels/discord/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8"));
const readme = readFileSync(new URL("README.md", folder), "utf8");

describe("the manifest", () => {
  it("has the permissions, and the numbers that they make", () => {
    const { permissions, address } = manifest.install;
    expect(permissions.needed).toEqual(neededPermissions);
    expect(permissions.useful).toEqual(usefulPermissions);
    expect(permissions.integer).toBe(permissionsInteger(neededPermissions));
    expect(permissions.integer_with_useful).toBe(permissionsInteger([...neededPermissions, ...usefulPermissions]));
    const asked = new URL(address.replace("<application id>", "1")).searchParams;
    expect(asked.get("permissions")).toBe(permissions.integer);
    expect(asked.get("scope")?.split(" ")).toEqual(manifest.install.scopes);
  });

  it("has the intents that the gateway is asked for", () => {
    const named = manifest.bot.intents.map((name: keyof typeof GatewayIntentBits) => GatewayIntentBits[name]);
    expect(named.reduce((bits: number, one: number) => bits | one, 0)).toBe(intents);
    expect(manifest.bot.privileged_intents).toEqual([]);
  });

  it("has the commands and their options", () => {
    const names = { review: "review", verbs: "aicr" };
    const [review, aicr] = commandBodies({ names, texts: createTexts() });
    expect(review?.options?.map(({ name }) => name)).toEqual(manifest.commands.review);
    const subs = aicr?.options?.map((sub) => [sub.name, "options" in sub ? sub.options?.map(({ name }) => name) : []]);
    expect(Object.fromEntries(subs ?? [])).toEqual(manifest.commands.aicr);
  });
});

describe("the README", () => {
  it("explains every permission and every setting", () => {
    for (const name of [...neededPermissions, ...usefulPermissions]) {
      expect(readme).toContain(name.replace(/(?<=[a-z])(?=[A-Z])/g, " "));
    }
    expect(readme).toContain(manifest.install.permissions.integer);
    expect(readme).toContain(manifest.install.permissions.integer_with_useful);
    expect(readme).toContain(manifest.install.address);
    for (const setting of Object.keys(discordChannelConfig.shape)) expect(readme).toContain(`\`${setting}\``);
  });
});
