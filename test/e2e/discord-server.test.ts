// The built server with Discord configured, against Discord on loopback: a command to its report, a dismissal, a crash, a wrong token.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nested } from "../fakes/discord/body-rules.ts";
import { type FakeDiscord, startFakeDiscord } from "../fakes/discord/discord.ts";
import type { WorldMessage } from "../fakes/discord/rest-world.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";

const role = "600000000000000001";

let discord: FakeDiscord;
/** Discord's time stands still unless a test turns it: no machine is too slow for its three seconds. */
let now: number;
let folder: ReturnType<typeof temporaryDirectory>;
let server: RunningServer | undefined;
let ann: { readonly user: string; readonly name: string; readonly channel: string; readonly roles: readonly string[] };

beforeEach(async () => {
  now = Date.now();
  discord = await startFakeDiscord({ now: () => now });
  ann = { user: "500000000000000001", name: "Ann Lee", channel: discord.channel, roles: [role] };
  folder = temporaryDirectory("aicr-discord-");
  const config = [
    "server: { port: 0 }",
    "repositories: [{ alias: demo, demo: true }]",
    `roles: [{ role: maintainer, channel: discord, workspace: "${discord.guild}", groups: ["${role}"] }]`,
    "channels:",
    "  web: { enabled: false }",
    "  discord:",
    `    application_id: "${discord.world.application}"`,
    `    api_url: ${discord.apiUrl}`,
  ];
  writeFileSync(join(folder.path, "aicr-bot.yaml"), `${config.join("\n")}\n`);
});

afterEach(async () => {
  await server?.kill();
  server = undefined;
  await discord.stop();
  folder.remove();
  expect(discord.rest.mistakes).toEqual([]);
});

async function start(token = discord.world.token): Promise<RunningServer> {
  server = await startProduct([], { cwd: folder.path, env: { DISCORD_BOT_TOKEN: token } });
  return server;
}

function messages(): readonly WorldMessage[] {
  return [...discord.world.channels.values()].flatMap((channel) => channel.messages);
}

const readable = ({ components, content }: WorldMessage): string => content + JSON.stringify(components);

function buttonOf(message: WorldMessage, label: string): string | undefined {
  const button = nested(message.components).find((one) => one["type"] === 2 && one["label"] === label);
  return button === undefined ? undefined : String(button["custom_id"] ?? "");
}

async function shown(fits: (message: WorldMessage) => boolean): Promise<WorldMessage> {
  await discord.untilCalled(() => messages().some(fits));
  const found = messages().find(fits);
  if (found === undefined) throw new Error("it was there a moment ago");
  return found;
}

/** A review takes a while on a busy machine, ms. */
const REVIEW_MS = 180_000;

it(
  "suggests, reviews when asked, posts the report with its thread, and takes a dismissal with its reason",
  async () => {
    await start();
    await discord.untilCalled(() => discord.world.commands.has(""));
    const typing = discord.people.typing(ann, "review", { repo: "de" });
    await discord.done(typing);
    expect(typing.interaction.answer).toMatchObject({ type: 8, data: { choices: [{ name: "demo", value: "demo" }] } });

    const asked = discord.people.command(ann, "review", { repo: "demo", rev: "HEAD" });
    await discord.done(asked);
    expect(asked.interaction.answer).toEqual({ type: 5, data: { flags: 64 } });
    const finding = await shown((message) => buttonOf(message, "Dismiss") !== undefined);
    const thread = discord.world.channels.get(finding.channel);
    expect(thread).toMatchObject({ type: 11, parent: discord.channel, owner: discord.world.bot });
    // The thread hangs on the root card, which everybody sees; the progress is for who asked.
    const root = discord.world.message(discord.channel, thread?.id ?? "");
    expect(root?.onlyFor).toBeUndefined();
    expect(messages().filter((one) => one.channel === discord.channel && one !== root)).toEqual([
      expect.objectContaining({ onlyFor: ann.user }),
    ]);

    const there = { ...ann, channel: finding.channel };
    const pressed = discord.people.press(there, finding.id, buttonOf(finding, "Dismiss") ?? "");
    await discord.done(pressed);
    expect(pressed.interaction.answer?.["type"]).toBe(9);
    await discord.done(discord.people.submit(there, pressed.interaction, { reason: "known since spring" }));
    const edited = await shown((message) => /Dismissed by Ann Lee.*known since spring/.test(readable(message)));
    expect(edited.id).toBe(finding.id);

    // What was reviewed is suggested the next time.
    const again = discord.people.typing(ann, "review", { repo: "demo", rev: "" });
    await discord.done(again);
    expect(JSON.stringify(again.interaction.answer)).toContain('"value":"main"');
  },
  REVIEW_MS,
);

it(
  "does what was asked while it was dead, once, and tells it by direct message",
  async () => {
    const first = await start();
    await discord.untilCalled(() => discord.world.commands.has(""));
    await first.kill();
    await discord.gateway.reached("closed", 1);
    const asked = discord.people.command(ann, "aicr repos");
    discord.tell(asked);
    // The lease of the dead process runs out, and Discord's three seconds do too.
    now += 20_000;
    await start();
    const told = await shown((message) => readable(message).includes("demo"));
    expect(told.channel).toBe(discord.world.openDm(ann.user).id);
    expect(asked.interaction.answer).toBeUndefined();
    expect(discord.gateway.count("identified")).toBe(1);
    expect(discord.gateway.count("resumed")).toBe(1);
    expect(messages()).toHaveLength(1);
  },
  REVIEW_MS,
);

it("ends with 78 when Discord refuses the token, and says which variable holds it", async () => {
  const refused = await start("wrong.token.here").then(
    async ({ ended, output }) => `ended with ${await ended}: ${output.stdout}${output.stderr}`,
    (thrown: unknown) => String(thrown),
  );
  expect(refused).toContain("ended with 78");
  expect(refused).toContain("DISCORD_BOT_TOKEN");
  expect(refused).not.toContain("wrong.token.here");
});
