// The built server with Lark configured, against the platform on loopback: a command to its report, a dismissal, a crash, a wrong secret.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import type { FakeMessage } from "../fakes/lark/api-state.ts";
import { appId, clickEvent, messageEvent, type NativeBody, tenantKey } from "../fakes/lark/events.ts";
import { appSecret, type FakePlatform, openPlatform } from "../fakes/lark/platform.ts";
import { encryptKey, type WebhookFacts, webhookRequest } from "../fakes/lark/webhook.ts";
import { type RunningServer, runCommand, startProduct } from "../fakes/product-process.ts";

const clock = createSystemClock();
let platform: FakePlatform;
let folder: ReturnType<typeof temporaryDirectory>;
let server: RunningServer | undefined;

beforeEach(async () => {
  platform = await openPlatform(clock);
  platform.api.addChat("oc_main", "group");
  platform.api.names.set("ou_asker", "Ann Lee");
  folder = temporaryDirectory("aicr-lark-");
  const config = [
    "server: { port: 0 }",
    "repositories: [{ alias: demo, demo: true }]",
    `roles: [{ role: maintainer, channel: lark, workspace: ${tenantKey}, people: [ou_asker] }]`,
    "channels:",
    "  web: { enabled: false }",
    "  lark:",
    `    domain: ${platform.origin}`,
    `    app_id: ${appId}`,
    "    app_secret_env: LARK_APP_SECRET",
    "    language: en",
  ];
  writeFileSync(join(folder.path, "aicr-bot.yaml"), `${config.join("\n")}\n`);
});

afterEach(async () => {
  await server?.kill();
  server = undefined;
  await platform.close();
  folder.remove();
});

async function start(connected = 1): Promise<RunningServer> {
  server = await startProduct([], { cwd: folder.path, env: { LARK_APP_SECRET: appSecret } });
  await platform.socket.pinged(connected);
  return server;
}

function said(text: string, ageMs = 0): NativeBody {
  const { id } = platform.api.say({ chat: "oc_main", text });
  return messageEvent({ messageId: id, text, at: clock.now() - ageMs });
}

/** Resolves when a call of that kind has left something that fits among the bot's messages. */
async function shown(call: RegExp, fits: (message: FakeMessage) => boolean): Promise<FakeMessage> {
  for (let count = 1; ; count += 1) {
    await platform.api.called(call, count);
    // The call is counted as it comes, and carried out in the same turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    const found = platform.api.shown().find(fits);
    if (found !== undefined) return found;
  }
}

const textOf = (message: FakeMessage): string => JSON.stringify(message.content);

function buttonValue(message: FakeMessage, label: string): unknown {
  const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
  const button = allOf(JSON.parse(content)).find(({ tag, text }) => tag === "button" && text?.content === label);
  return button?.behaviors?.find(({ type }) => type === "callback")?.value;
}

interface Node {
  readonly tag?: string;
  readonly text?: { readonly content?: string };
  readonly behaviors?: readonly { readonly type: string; readonly value?: unknown }[];
}

function allOf(value: unknown): readonly Node[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(allOf)];
}

/** A review takes a while on a busy machine, ms. */
const REVIEW_MS = 180_000;

it(
  "reviews when asked, posts the report with its thread, and takes a dismissal with its reason",
  async () => {
    await start();
    expect((await platform.socket.push(said("/review demo HEAD"))).ack?.code).toBe(200);
    const finding = await shown(/^POST .*\/reply$/, (message) => buttonValue(message, "Dismiss") !== undefined);
    const root = platform.api.state.messages.get(finding.root ?? "");
    expect(root?.onlyFor).toBeUndefined();
    expect(textOf(finding)).toContain('"schema');

    const click = clickEvent({ value: buttonValue(finding, "Dismiss"), message: finding.id, at: clock.now() });
    const { ack } = await platform.socket.push(click);
    expect(ack).toMatchObject({ code: 200, data: { toast: { type: "info", i18n: { zh_cn: "已收到" } } } });
    const form = await shown(/^POST .*ephemeral\/v1\/send$/, (message) => buttonValue(message, "Send") !== undefined);
    expect(form.onlyFor).toBe("ou_asker");
    const formValue = { reason: "known since spring" };
    await platform.socket.push(
      clickEvent({ value: buttonValue(form, "Send"), message: form.id, formValue, at: clock.now() }),
    );
    const edited = await shown(/^PATCH /, (message) =>
      textOf(message).includes("Dismissed by Ann Lee: known since spring"),
    );
    expect(edited.id).toBe(finding.id);
    expect(platform.socket.mistakes).toEqual([]);
  },
  REVIEW_MS,
);

it(
  "takes a command once, though it is killed and the platform pushes again",
  async () => {
    const first = await start();
    // Old enough that whoever took it before a crash has settled it or lost its claim.
    const question = said("/review demo HEAD", 100_000);
    expect((await platform.socket.push(question)).ack?.code).toBe(200);
    await first.kill();
    await platform.socket.connected(0);
    const again = await start(2);
    expect((await platform.socket.push(question)).ack?.code).toBe(200);
    const finding = await shown(/^POST .*\/reply$/, (message) => buttonValue(message, "Dismiss") !== undefined);
    const roots = platform.api.shown().filter(({ root, onlyFor }) => root === undefined && onlyFor === undefined);
    expect(roots.map(({ id }) => id)).toEqual([finding.root]);
    again.child.kill("SIGTERM");
    expect(await again.ended).toBe(0);
    await platform.socket.connected(0);
  },
  REVIEW_MS,
);

it("ends with 78 when the platform does not know the app, and says nothing of its secret", async () => {
  const secret = "wrong-secret-5d1f";
  const refused = await startProduct([], { cwd: folder.path, env: { LARK_APP_SECRET: secret } });
  server = refused;
  expect(await refused.ended).toBe(78);
  const said = refused.output.stdout + refused.output.stderr;
  expect(said).toContain("refuses the app's credentials");
  expect(said).not.toContain(secret);
});

interface Checked {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
}

async function doctor(...more: readonly string[]): Promise<readonly [code: number | null, ...found: string[]]> {
  const env = { LARK_APP_SECRET: appSecret };
  const { code, stdout, stderr } = await runCommand(["doctor", "lark", "--json", ...more], { cwd: folder.path, env });
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as Checked;
  const own = checks.filter(({ name }) => name.startsWith("lark:"));
  return [code, ...own.map(({ name, state, detail }) => `${name} ${state}: ${detail}`)];
}

it(
  "is examined from the command line: a click that arrives, and a running bot that keeps its connection",
  async () => {
    const asking = doctor("--to", "oc_main", "--click", "120");
    const card = await shown(/^POST .*\/messages$/, (message) => buttonValue(message, "Press me") !== undefined);
    await platform.socket.push(clickEvent({ value: buttonValue(card, "Press me"), message: card.id, at: clock.now() }));
    expect(await asking).toEqual([
      0,
      `lark:token ok: ${platform.origin} knows the app ${appId}`,
      expect.stringMatching(/^lark:bot ok: AICR, ou_/),
      "lark:socket ok: the long connection stands",
      expect.stringMatching(/^lark:card ok: the test card is there/),
      "lark:click ok: the click arrived",
    ]);
    expect(platform.api.shown()).toEqual([]);

    await platform.socket.connected(0);
    await start(2);
    const [code, , , connection, sent] = await doctor("--to", "oc_main");
    expect([code, connection]).toEqual([0, "lark:socket ok: the running bot holds the one connection"]);
    expect(sent).toBe("lark:card ok: a test card was sent and recalled");
    expect([platform.socket.connections(), platform.api.shown(), platform.socket.mistakes]).toEqual([1, [], []]);
  },
  REVIEW_MS,
);

it(
  "hears the webhook at its address: the console's challenge, a signed command once, and nothing that is not signed",
  async () => {
    const settings = ["transport: webhook", "encrypt_key_env: LARK_KEY", "verification_token_env: LARK_TOKEN"];
    appendFileSync(join(folder.path, "aicr-bot.yaml"), settings.map((line) => `    ${line}\n`).join(""));
    const question = said("/review help");
    const token = String(question.header["token"]);
    const env = { LARK_APP_SECRET: appSecret, LARK_KEY: encryptKey, LARK_TOKEN: token };
    const heard = await startProduct([], { cwd: folder.path, env });
    server = heard;
    const post = async (inner: unknown, facts: Partial<WebhookFacts> = {}): Promise<Response> => {
      const request = webhookRequest(inner, { clock, ...facts });
      const body = await request.text();
      return fetch(new URL("/lark/events", heard.url), { method: "POST", headers: request.headers, body });
    };
    const challenge = { type: "url_verification", challenge: "c-1", token };
    const met = await post(challenge, { isSigned: false });
    expect([met.status, await met.json()]).toEqual([200, { challenge: "c-1" }]);
    expect((await post(question, { isSigned: false })).status).toBe(401);
    expect((await post(question, { tamper: (body) => `${body} ` })).status).toBe(401);
    // Until the bot knows who it is, it asks for the event once more.
    await platform.api.called(/bot\/v3\/info$/);
    let taken = await post(question);
    while (taken.status === 503) taken = await post(question);
    expect([taken.status, await taken.json()]).toEqual([200, {}]);
    expect((await post(question, { nonce: "n2" })).status).toBe(200);
    const answer = await shown(/^POST .*ephemeral\/v1\/send$/, ({ onlyFor }) => onlyFor === "ou_asker");
    expect(textOf(answer)).toContain("review");
    expect(platform.socket.connections()).toBe(0);
    expect(platform.api.shown()).toHaveLength(1);
  },
  REVIEW_MS,
);
