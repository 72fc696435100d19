// Perforce from the trigger to the card: the built server, a strict p4 on its PATH, and a person who listens at the chat page.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChatClient, joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import type { FakeChange, FakeFile, FakeServer } from "../fakes/p4/depot.ts";
import { type FakeP4, installFakeP4 } from "../fakes/p4/install.ts";
import { type RunningServer, runCommand, startProduct } from "../fakes/product-process.ts";

const password = "the depot's password";
const apiKey = "the trigger's key";
const goodConfig = '{"compilerOptions":{"strict":true,"noEmit":true}}\n';
const goodPrice = "export const price: number = 12;\n";

function file(path: string, rev: number, content: string): FakeFile {
  return { path: `//depot/game/${path}`, rev: String(rev), action: rev === 1 ? "add" : "edit", type: "text", content };
}

function change(number: number, status: FakeChange["status"], ...files: readonly FakeFile[]): FakeChange {
  const time = 1_700_000_000 + number * 60;
  return { change: String(number), user: "ann", client: "ann-ws", time, desc: `change ${number}\n`, status, files };
}

const first = change(10, "submitted", file("tsconfig.json", 1, goodConfig), file("src/price.ts", 1, goodPrice));
const planted = change(
  12,
  "submitted",
  file("data/items.json", 1, '{"sword": 1,, "bow": 2}\n'),
  file("src/price.ts", 2, 'export const price: number = "twelve";\n'),
);
const clean = change(14, "submitted", file("src/name.ts", 1, 'export const name: string = "sword";\n'));
const shelved = change(15, "pending", file("data/shelved.json", 1, '{"axe": }\n'));
const depot = [first, planted, clean, shelved];
const later = change(16, "submitted", file("data/later.json", 1, "[1, 2\n"));

const root = temporaryDirectory("aicr-perforce-");
let fake: FakeP4;
let server: RunningServer;
let chat: ChatClient;

const serve = (changes: readonly FakeChange[], more: FakeServer = {}): void =>
  fake.serve({ changes, server: { password, ...more } });
const environment = (): Record<string, string> => ({ PATH: fake.path, DEPOT_PASSWORD: password, DEPOT_KEY: apiKey });

function folder(name: string, pollSeconds: number, more = ""): string {
  const path = join(root.path, name);
  mkdirSync(path);
  writeFileSync(
    join(path, "aicr-bot.yaml"),
    `server:
  port: 0
repositories:
  - alias: depot
    vcs: p4
    poll_seconds: ${pollSeconds}
    p4:
      port: 127.0.0.1:1666
      user: bot
      password_env: DEPOT_PASSWORD
      depot_path: //depot/game/...
subscriptions:
  - conversation: { channel: web, conversation: main }
    repository: depot
${more}`,
  );
  return path;
}

const triggers = "triggers:\n  p4:\n    - repository: depot\n      api_key_env: DEPOT_KEY\n";

async function start(cwd: string): Promise<void> {
  server = await startProduct([], { cwd, env: environment() });
  chat = await joinChat(server.url);
}

async function stop(): Promise<void> {
  chat.close();
  await server.kill();
}

async function trigger(number: number, key = apiKey): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${server.url}/triggers/p4`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ change: number, user: "ann", client: "ann-ws" }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** The review once it has ended; a silent one says nothing that could be waited for. */
async function ended(id: unknown): Promise<Readonly<Record<string, unknown>>> {
  const look = async () => (await chat.get(`/api/reviews/${id}`)).body as Readonly<Record<string, unknown>>;
  await expect
    .poll(async () => (await look())["status"], { timeout: 10_000, interval: 50 })
    .toMatch(/^(?:reported|skipped|failed|cancelled)$/u);
  return look();
}

/** The root card that everyone sees, once it is there. */
const card = async (fits: RegExp) =>
  (
    await chat.event(
      ({ message }) =>
        message.visibility === "everyone" && message.from === "bot" && !message.thread && fits.test(message.text),
    )
  ).message;

beforeAll(() => {
  fake = installFakeP4({ changes: [] });
});
beforeEach(() => {
  fake.forget();
  serve(depot);
});
afterEach(() => {
  // The fake refuses foreign settings, other people's workspaces and secrets within arguments.
  expect(fake.commands().filter((line) => line.startsWith("VIOLATION"))).toEqual([]);
});
afterAll(() => {
  fake.remove();
  root.remove();
});

describe("a server that triggers tell of changelists", () => {
  beforeAll(async () => {
    serve(depot);
    await start(folder("triggered", 0, triggers));
  });
  afterAll(stop);

  it("refuses a wrong key, and reviews nothing", async () => {
    expect((await trigger(12, "another key")).status).toBe(401);
    expect(fake.commands()).toEqual([]);
  });

  it("reviews a submitted changelist once, and shows its card where people subscribed", async () => {
    const { status, body } = await trigger(12);
    expect({ status, body }).toEqual({ status: 202, body: { accepted: true, reviewId: expect.any(String) } });
    expect(await ended(body["reviewId"])).toMatchObject({ status: "reported", repository: "depot" });
    const root = await card(/problems? in depot/u);
    const replies = (): string =>
      chat.events
        .filter(({ message }) => message.thread === root.id)
        .map(({ message }) => message.text)
        .join("\n");
    await chat.event(() => replies().includes("data/items.json:1") && replies().includes("src/price.ts:1"));
    expect(replies()).not.toContain("tsconfig.json");

    const again = await trigger(12);
    expect(again.status).toBe(202);
    expect(again.body["reviewId"]).toBeUndefined();
  });

  it("is silent about a clean changelist", async () => {
    const before = chat.events.length;
    const { status, body } = await trigger(14);
    expect(status).toBe(202);
    expect(await ended(body["reviewId"])).toMatchObject({ status: "skipped", skipReason: "lgtm" });
    expect(chat.events).toHaveLength(before);
  });

  it("reviews a changelist and a shelf by command", async () => {
    const { reviewId } = await chat.say("/review depot 12");
    expect(await ended(reviewId)).toMatchObject({ status: "reported", spec: "12" });
    const shelf = await chat.say("/review depot @=15");
    expect(await ended(shelf.reviewId)).toMatchObject({ status: "reported", spec: "@=15" });
    await chat.event(({ message }) => message.text.includes("data/shelved.json:1"));
    // By now a card about the clean one would be here too: whoever is silent stays it.
    const cards = chat.events.filter(({ message }) => message.from === "bot" && message.visibility === "everyone");
    for (const { message } of cards) if (!message.thread) expect(message.text).toMatch(/^\d+ problems? in depot/u);
  });

  it("E6: does not take an outage for a changelist without files, but tries again", async () => {
    serve(depot, { outage: "silent" });
    const { messageId, reviewId } = await chat.say("/review depot 12");
    await chat.event(({ message }) => message.id > messageId && message.text === "Trying depot 12 again");
    serve(depot);
    expect(await ended(reviewId)).toMatchObject({ status: "reported", attempt: 2 });
  });

  it("shows a review whose password is refused as failed, at once", async () => {
    serve(depot, { password: "another", ticketCalls: [0] });
    const { messageId, reviewId } = await chat.say("/review depot 14");
    expect(await ended(reviewId)).toMatchObject({ status: "failed", failure: { code: "auth" } });
    await chat.event(({ message }) => message.id > messageId && message.text.includes("refused the bot's credentials"));
  });
});

it("a server without triggers finds the next changelist by asking", async () => {
  await start(folder("polled", 1));
  try {
    await expect
      .poll(() => fake.commands().some((line) => line.includes("\tchanges\t")), { timeout: 10_000 })
      .toBe(true);
    serve([...depot, later]);
    await chat.event(({ message }) => message.text.includes("data/later.json:1"));
    expect((await chat.history()).map(({ text }) => text).join("\n")).not.toContain("data/items.json");
  } finally {
    await stop();
  }
});

it("the doctor says that the depot works, and what to do when it does not", async () => {
  const cwd = folder("doctor", 0, triggers);
  const healthy = await runCommand(["doctor"], { cwd, env: environment() });
  expect(healthy.stdout).toMatch(/depot/u);
  expect(healthy).toMatchObject({ code: 0, stdout: expect.stringContaining("Everything that was looked at works.") });
  serve([first], { outage: "refused" });
  const sick = await runCommand(["doctor"], { cwd, env: environment() });
  expect(sick.code).toBe(1);
  expect(sick.stdout).toContain("The repository depot cannot be reached.");
});
