// The commands that are registered: as Discord's own description wants them, within its limits, in three languages, and only when they changed.
import { describe, expect, it } from "vitest";
import type { CommandCalls } from "../../../../channels/discord/client.ts";
import { isRegistered } from "../../../../channels/discord/command-drift.ts";
import { type CommandBody, commandBodies } from "../../../../channels/discord/commands.ts";
import { registerCommands } from "../../../../channels/discord/registration.ts";
import { createTexts } from "../../../../src/templates/create-texts.ts";
import { commandMistakes } from "../../../fakes/discord/body-rules.ts";
import { specMistakes } from "../../../fakes/discord/rest-spec.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const texts = createTexts();
const names = { review: "review", verbs: "aicr" };
const commands = commandBodies({ names, texts });
const json = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe("the commands", () => {
  it("are a review and all verbs, in servers alone", () => {
    expect(commands.map(({ name }) => name)).toEqual(["review", "aicr"]);
    const [review, aicr] = commands;
    expect(review).toMatchObject({ contexts: [0], integration_types: [0], default_member_permissions: null });
    expect(review?.options?.map(({ name, required }) => [name, required])).toEqual([
      ["repo", true],
      ["rev", false],
      ["agent", false],
      ["path", false],
    ]);
    expect(aicr?.options?.map(({ name }) => name)).toEqual([
      ...["help", "repos", "subscriptions", "status", "cancel", "rerun", "why", "explain", "subscribe", "unsubscribe"],
      ...["mute", "unmute", "findings", "dismiss", "reopen", "digest", "link"],
    ]);
  });

  it("are in order by Discord's description and by the rules that it leaves out", () => {
    for (const command of commands) {
      expect(specMistakes("ApplicationCommandUpdateRequest", json(command))).toEqual([]);
      expect(commandMistakes(json(command))).toEqual([]);
    }
  });

  it("are described in each language within 100 characters, and within 8,000 altogether in the longest", () => {
    for (const command of commands) {
      let total = 0;
      const visit = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return;
        const { name, description, description_localizations: others, ...rest } = value as Record<string, unknown>;
        if (typeof description === "string") {
          const all = [description, ...Object.values(others as Record<string, string>)];
          expect(Object.keys(others as object)).toEqual(["zh-CN", "vi"]);
          for (const text of all) expect(text.length).toBeLessThanOrEqual(100);
          total += Math.max(...all.map((text) => text.length));
        }
        total += typeof name === "string" ? name.length : 0;
        for (const inner of Object.values(rest)) for (const one of Array.isArray(inner) ? inner : []) visit(one);
      };
      visit(json(command));
      expect(total).toBeGreaterThan(100);
      expect(total).toBeLessThanOrEqual(8_000);
    }
  });

  it("have other names and permissions where the configuration says so", () => {
    const renamed = commandBodies({ names: { review: "crit", verbs: "bot" }, texts, permissions: "0" });
    expect(renamed.map(({ name }) => name)).toEqual(["crit", "bot"]);
    expect(renamed[0]?.default_member_permissions).toBe("0");
  });
});

describe("what Discord has", () => {
  const asDiscord = commands.map((command, index) => ({
    id: String(index),
    version: "9",
    nsfw: false,
    ...json(command),
  }));

  it("is ours, whatever else it tells and whatever it leaves out because it is the default", () => {
    expect(isRegistered(commands, asDiscord)).toBe(true);
    const bare = asDiscord.map((command) => {
      const { default_member_permissions: _, ...rest } = command as Record<string, unknown>;
      return JSON.parse(JSON.stringify(rest).replaceAll('"required":false,', "")) as unknown;
    });
    expect(isRegistered(commands, bare.reverse())).toBe(true);
  });

  it("is not ours when anything that people see differs", () => {
    expect(isRegistered(commands, asDiscord.slice(1))).toBe(false);
    expect(isRegistered(commands, [...asDiscord, { ...asDiscord[0], name: "more" }])).toBe(false);
    const changed = JSON.parse(JSON.stringify(asDiscord).replace("The repository", "A repository")) as unknown[];
    expect(isRegistered(commands, changed)).toBe(false);
    const required = JSON.parse(JSON.stringify(asDiscord).replace('"required":true', '"required":false')) as unknown[];
    expect(isRegistered(commands, required)).toBe(false);
  });
});

describe("registration", () => {
  function rig(outcome: "done" | "over_limit" = "done") {
    const had = new Map<string, readonly unknown[]>();
    const writes: string[] = [];
    let isListed = true;
    const client: CommandCalls = {
      async commands(guild = "global") {
        if (!isListed) throw new Error("404: Not Found");
        return had.get(guild) ?? [];
      },
      async replaceCommands(given, guild = "global") {
        writes.push(guild);
        if (outcome === "done") had.set(guild, json(given) as unknown as readonly unknown[]);
        return outcome;
      },
    };
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    const ports = { client, store, clock, logger: silentLogger, applicationId: "1" };
    const register = (guilds: readonly string[] = [], wanted: readonly CommandBody[] = commands) =>
      registerCommands({ ...ports, guilds }, wanted);
    const fail = (): void => {
      isListed = false;
    };
    return { register, writes, had, clock, fail };
  }

  it("writes once, and nothing while nothing changes", async () => {
    const { register, writes } = rig();
    expect(await register()).toEqual({ written: ["global"], mistakes: [] });
    expect(await register()).toEqual({ written: [], mistakes: [] });
    expect(writes).toEqual(["global"]);
  });

  it("writes what changed here, and what somebody changed at Discord", async () => {
    const { register, writes, had } = rig();
    await register();
    await register([], commands.slice(1));
    expect(writes).toHaveLength(2);
    had.set("global", []);
    await register([], commands.slice(1));
    expect(writes).toHaveLength(3);
    expect(had.get("global")).toHaveLength(1);
  });

  it("takes commands away where they no longer belong, so that none is shown twice", async () => {
    const { register, had } = rig();
    await register();
    await register(["7", "8"]);
    expect([...had].map(([scope, list]) => [scope, list.length])).toEqual([
      ["global", 0],
      ["7", 2],
      ["8", 2],
    ]);
    await register();
    expect([...had].map(([scope, list]) => [scope, list.length])).toEqual([
      ["global", 2],
      ["7", 0],
      ["8", 0],
    ]);
  });

  it("writes once where Discord does not say what is there", async () => {
    const { register, writes, fail } = rig();
    fail();
    expect(await register()).toEqual({ written: ["global"], mistakes: [] });
    expect(await register()).toEqual({ written: [], mistakes: [] });
    expect(writes).toHaveLength(1);
  });

  it("asks for nothing more on a day whose limit is reached, and tells it", async () => {
    const { register, writes, clock } = rig("over_limit");
    const first = await register();
    expect(first.mistakes[0]).toContain("no more commands today");
    await register();
    expect(writes).toHaveLength(1);
    clock.advance(25 * 3_600_000);
    await register();
    expect(writes).toHaveLength(2);
  });
});
