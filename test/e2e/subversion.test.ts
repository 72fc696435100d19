// Subversion from the hook to the card: the built server, a real svnserve that asks for a password, and a person at the chat page.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatClient, joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, runCommand, startProduct } from "../fakes/product-process.ts";
import { createSvnRepository, type SvnRepository, serveSvn } from "../fakes/svn-repository.ts";
import { describeWithPeer } from "../peers.ts";

const password = "the archive's password";
const apiKey = "the hook's key";
const environment = { SVN_SECRET: password, SVN_HOOK_KEY: apiKey };

describeWithPeer("svnadmin", "a Subversion repository whose hook tells of revisions", () => {
  let folder: ReturnType<typeof temporaryDirectory>;
  let repository: SvnRepository;
  let svn: Awaited<ReturnType<typeof serveSvn>>;
  let server: RunningServer;
  let chat: ChatClient;
  let planted: number;
  let clean: number;

  beforeAll(async () => {
    folder = temporaryDirectory("aicr-subversion-");
    repository = createSvnRepository();
    repository.commit([
      ["mkdir", "trunk"],
      ["put", "trunk/tsconfig.json", '{"compilerOptions":{"strict":true,"noEmit":true}}\n'],
      ["put", "trunk/price.ts", "export const price: number = 12;\n"],
    ]);
    planted = repository.commit([
      ["put", "trunk/items.json", '{"sword": 1,, "bow": 2}\n'],
      ["put", "trunk/price.ts", 'export const price: number = "twelve";\n'],
    ]);
    clean = repository.commit([["put", "trunk/name.ts", 'export const name: string = "sword";\n']]);
    svn = await serveSvn(repository, password);
    writeFileSync(
      join(folder.path, "aicr-bot.yaml"),
      `server:
  port: 0
repositories:
  - alias: archive
    vcs: svn
    url: ${svn.url}/trunk
    credentials: { username: bot, password_env: SVN_SECRET }
    poll_seconds: 0
subscriptions:
  - conversation: { channel: web, conversation: main }
    repository: archive
triggers:
  svn:
    - repository: archive
      api_key_env: SVN_HOOK_KEY
`,
    );
    server = await startProduct([], { cwd: folder.path, env: environment });
    chat = await joinChat(server.url);
  });
  afterAll(async () => {
    chat.close();
    await server.kill();
    svn.stop();
    repository.remove();
    folder.remove();
  });

  /** As a post-commit hook does it: a form, by curl. */
  async function hook(revision: number, key = apiKey): Promise<{ status: number; body: Record<string, unknown> }> {
    const body = new URLSearchParams({ revision: String(revision), author: "ada" });
    const answer = await fetch(`${server.url}/triggers/svn`, { method: "POST", body, headers: { "x-api-key": key } });
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

  it("the doctor says that it works", async () => {
    const said = await runCommand(["doctor"], { cwd: folder.path, env: environment });
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("archive") });
  });

  it("refuses a wrong key", async () => {
    expect((await hook(planted, "another key")).status).toBe(401);
  });

  it("reviews a revision once, and shows its card where people subscribed", async () => {
    const { status, body } = await hook(planted);
    expect({ status, body }).toEqual({ status: 202, body: { accepted: true, reviewId: expect.any(String) } });
    expect(await ended(body["reviewId"])).toMatchObject({ status: "reported", repository: "archive" });
    const root = await chat.event(({ message }) => /problems? in archive/u.test(message.text));
    const replies = (): string =>
      chat.events
        .filter(({ message }) => message.thread === root.message.id)
        .map(({ message }) => message.text)
        .join("\n");
    await chat.event(() => replies().includes("items.json:1") && replies().includes("price.ts:1"));
    const again = await hook(planted);
    expect(again.status).toBe(202);
    expect(again.body["reviewId"]).toBeUndefined();
  });

  it("is silent about a clean revision", async () => {
    const before = chat.events.length;
    const { body } = await hook(clean);
    expect(await ended(body["reviewId"])).toMatchObject({ status: "skipped", skipReason: "lgtm" });
    expect(chat.events).toHaveLength(before);
  });

  it("reviews a revision and a range by command", async () => {
    for (const spec of [`r${planted}`, `r1:r${planted}`]) {
      const { reviewId } = await chat.say(`/review archive ${spec}`);
      expect(await ended(reviewId)).toMatchObject({ status: "reported", spec });
    }
    // By now a card about the clean one would be here too: whoever is silent stays it.
    const cards = chat.events.filter(({ message }) => message.from === "bot" && message.visibility === "everyone");
    for (const { message } of cards) if (!message.thread) expect(message.text).toMatch(/^\d+ problems? in archive/u);
  });

  it("E6: does not take an outage for a revision without files", async () => {
    svn.stop();
    const { messageId, reviewId } = await chat.say(`/review archive r${planted}`);
    await chat.event(({ message }) => message.id > messageId && message.text.startsWith("Trying archive"));
    expect((await chat.get(`/api/reviews/${reviewId}`)).body).toMatchObject({ status: "queued" });
    const said = await runCommand(["doctor"], { cwd: folder.path, env: environment });
    expect(said).toMatchObject({ code: 1, stdout: expect.stringContaining("archive cannot be reached") });
  });
});
