// `aicr-bot doctor discord` and the other transport, as the built product has them, against Discord on loopback.
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeDiscord, startFakeDiscord } from "../fakes/discord/discord.ts";
import { kinds } from "../fakes/discord/rest-world.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { runCommand, startProduct } from "../fakes/product-process.ts";

let discord: FakeDiscord;
let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(async () => {
  const now = Date.now();
  discord = await startFakeDiscord({ now: () => now });
  folder = temporaryDirectory("aicr-discord-");
});
afterEach(async () => {
  await discord.stop();
  folder.remove();
  expect(discord.rest.mistakes).toEqual([]);
});

function configure(channels: readonly string[], more: readonly string[] = []): void {
  const config = [
    "server: { port: 0 }",
    "repositories: [{ alias: demo, demo: true }]",
    ...(channels.length === 0 ? [] : ["subscriptions:"]),
    ...channels.map(
      (id) =>
        `  - { repository: demo, conversation: { channel: discord, workspace: "${discord.guild}", conversation: "${id}" } }`,
    ),
    "channels:",
    "  discord:",
    `    application_id: "${discord.world.application}"`,
    `    api_url: ${discord.apiUrl}`,
    ...more.map((line) => `    ${line}`),
  ];
  writeFileSync(join(folder.path, "aicr-bot.yaml"), `${config.join("\n")}\n`);
}

it("names each missing permission of each subscribed channel, and proves that a card can be sent", async () => {
  const closed = discord.world.addChannel(discord.guild, kinds.text, { name: "closed" });
  discord.world.deny(closed.id, "SendMessages", "CreatePublicThreads");
  configure([discord.channel, closed.id]);
  const env = { DISCORD_BOT_TOKEN: discord.world.token };
  const { code, stdout, stderr } = await runCommand(["doctor", "discord", "--json"], { cwd: folder.path, env });
  expect(stderr).toBe("");
  const { ok, checks } = JSON.parse(stdout) as {
    ok: boolean;
    checks: { name: string; state: string; detail: string }[];
  };
  const found = Object.fromEntries(checks.map(({ name, state, detail }) => [name, `${state}: ${detail}`]));
  expect(found["discord:token"]).toBe("ok: the bot is aicr-bot");
  expect(found["discord:gateway"]).toContain("1000 of 1000");
  expect(found[`discord:${discord.channel}`]).toContain(
    "ok: #general: every permission is there, and a card was posted",
  );
  expect(found[`discord:${closed.id}`]).toBe("fail: #closed: the bot lacks Send Messages, Create Public Threads");
  expect([ok, code]).toEqual([false, 1]);
  expect(discord.world.channels.get(discord.channel)?.messages).toEqual([]);
  expect(discord.gateway.count("connected")).toBe(0);
});

it("takes interactions by HTTP, and nothing that Discord did not sign", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(String(publicKey.export({ format: "jwk" })["x"]), "base64url").toString("hex");
  configure([], ["transport: http", `public_key: ${key}`]);
  const env = { DISCORD_BOT_TOKEN: discord.world.token };
  const server = await startProduct([], { cwd: folder.path, env });
  try {
    const post = async (payload: object, forged = ""): Promise<Response> => {
      const body = JSON.stringify(payload);
      const time = String(Math.floor(Date.now() / 1_000));
      const signature = sign(null, Buffer.from(time + body), privateKey).toString("hex");
      return fetch(new URL("/discord/interactions", server.url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "Discord-Interactions/1.0 (+https://discord.com)",
          "x-signature-ed25519": signature,
          "x-signature-timestamp": time,
        },
        body: body + forged,
      });
    };
    expect(await (await post({ type: 1 })).json()).toEqual({ type: 1 });
    expect((await post({ type: 1 }, " ")).status).toBe(401);
    await discord.untilCalled(() => discord.world.commands.has(""));
    const ann = { user: "500000000000000001", channel: discord.channel };
    const typing = discord.people.typing(ann, "review", { repo: "de" });
    expect(await (await post(typing.packet)).json()).toEqual({
      type: 8,
      data: { choices: [{ name: "demo", value: "demo" }] },
    });
    const asked = discord.people.command(ann, "aicr repos");
    const first = (await (await post(asked.packet)).json()) as Record<string, unknown>;
    expect(first).toEqual({ type: 5, data: { flags: 64 } });
    // Discord takes the answer, and shows what was deferred, before what follows can come.
    asked.interaction.answer = first;
    const thinking = { author: discord.world.bot, onlyFor: ann.user, isThinking: true };
    const message = discord.world.addMessage(discord.channel, thinking);
    asked.interaction.original = message.id;
    await discord.untilCalled(() => JSON.stringify(message.components).includes("demo"));
    expect(discord.gateway.count("connected")).toBe(0);
  } finally {
    await server.kill();
  }
});
