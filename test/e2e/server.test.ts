// The server as a stranger starts it: the built bundle on a free port, a review from the request to its card, and a clean stop.
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChatClient, joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";

const config = "server:\n  port: 0\nrepositories:\n  - alias: demo\n    demo: true\n";
const folders: { remove(): void }[] = [];

function folder(): string {
  const made = temporaryDirectory("aicr-server-");
  folders.push(made);
  writeFileSync(join(made.path, "aicr-bot.yaml"), config);
  return made.path;
}
afterAll(() => {
  for (const made of folders) made.remove();
});

/** How many problems a root card names in its title; each has a card of its own in the thread. */
function countIn(text: string | undefined): number {
  const count = Number(/^(\d+) problems in demo/u.exec(text ?? "")?.[1]);
  expect(count).toBeGreaterThanOrEqual(8);
  return count;
}

describe("a conversation with the server", () => {
  let server: RunningServer;
  let chat: ChatClient;

  beforeAll(async () => {
    server = await startProduct([], { cwd: folder() });
    chat = await joinChat(server.url);
  });
  afterAll(async () => {
    chat.close();
    await server.kill();
  });

  it("prints its address and what to type", () => {
    expect(server.output.stdout).toBe(
      `AICR Bot listens on ${server.url}\nOpen it and type:  /review demo HEAD\nStop with Ctrl+C.\n`,
    );
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
  });

  it("answers help, repos and status to the asker alone", async () => {
    for (const [text, said] of [
      ["/review help", "/review <repo> [<rev>]"],
      ["/review repos", "demo"],
      ["/review status", "No review has run here yet."],
    ] as const) {
      const { messageId, reviewId } = await chat.say(text);
      expect(reviewId).toBeUndefined();
      const history = await chat.history();
      const answer = history[history.findIndex(({ id }) => id === messageId) + 1];
      expect(answer).toMatchObject({ from: "bot", visibility: "asker" });
      expect(answer?.text).toContain(said);
    }
  });

  it("accepts a review at once, shows its progress in place, and then the card with its thread", async () => {
    const { messageId, reviewId } = await chat.say("/review demo HEAD");
    const progress = await chat.event(({ message }) => message.from === "bot" && message.id > messageId);
    expect(progress.name).toBe("message");
    expect(progress.message.visibility).toBe("asker");
    const review = await chat.review(reviewId, "reported", "failed");
    expect(review).toMatchObject({ status: "reported", repository: "demo", spec: "HEAD", attempt: 1 });

    const done = await chat.event(
      ({ message }) => message.id === progress.message.id && /problems$/u.test(message.text),
    );
    expect(done.name).toBe("message.updated");
    const steps = chat.events
      .filter(({ message }) => message.id === progress.message.id)
      .map(({ message }) => message.text);
    expect(new Set(steps).size).toBeGreaterThanOrEqual(3);

    const history = await chat.history();
    const root = history.find(({ visibility, from }) => from === "bot" && visibility === "everyone");
    expect(root?.card).toMatchObject({ title: expect.stringMatching(/^\d+ problems in demo$/u), tone: "danger" });
    expect(root?.replies.length).toBe(countIn(root?.text));
    expect(root?.replies[0]?.card?.title).toMatch(/^Critical · config\/archive\.env:2/u);
  });

  it("edits the same root for the same range, and tells the asker that all is still open", async () => {
    const before = (await chat.history()).filter(({ visibility, from }) => from === "bot" && visibility === "everyone");
    const { messageId, reviewId } = await chat.say("/review demo HEAD");
    await chat.review(reviewId, "reported", "failed");
    const answer = await chat.event(
      ({ message }) => message.id > messageId && message.visibility === "asker" && message.text.includes("still open"),
    );
    expect(answer.message.card?.title).toMatch(/^\d+ problems are still open in demo$/u);
    const after = (await chat.history()).filter(({ visibility, from }) => from === "bot" && visibility === "everyone");
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after[0]?.replies.length).toBe(before[0]?.replies.length);
    expect(after[0]?.text).toContain(`Since the last report: ${countIn(after[0]?.text)} still open`);
  });

  it("tells of a silent change to the asker alone, in the person's language", async () => {
    const { messageId, reviewId } = await chat.say("/review demo HEAD~1", "zh-CN");
    expect(await chat.review(reviewId, "skipped", "failed")).toMatchObject({ status: "skipped", skipReason: "lgtm" });
    const answer = await chat.event(({ message }) => message.id > messageId && message.card?.tone === "good");
    expect(answer.message).toMatchObject({ visibility: "asker", from: "bot" });
    expect(answer.message.text).toMatch(/\p{Script=Han}/u);
    const shown = (await chat.history()).filter(({ id, visibility }) => id > messageId && visibility === "everyone");
    expect(shown).toEqual([]);
  });

  it("says what failed and what to do, without a stack", async () => {
    const { messageId, reviewId } = await chat.say("/review demo nothing-here");
    const review = await chat.review(reviewId, "failed");
    expect(review["failure"]).toMatchObject({ code: "not_found", remedy: expect.any(String) });
    const answer = await chat.event(({ message }) => message.id > messageId && message.card?.tone === "danger");
    expect(answer.message.text).toContain("There is no revision nothing-here in demo.\n\nCheck the spelling");
  });

  it("answers for its health, and 404 for a review that nobody knows", async () => {
    expect(await chat.get("/readyz")).toMatchObject({ status: 200, body: { ok: true } });
    expect(await chat.get("/api/reviews/rv_none")).toMatchObject({
      status: 404,
      body: { error: { remedy: expect.any(String) } },
    });
  });
});

describe("stopping", () => {
  const running: RunningServer[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.kill()));
  });
  async function start(cwd: string): Promise<{ server: RunningServer; chat: ChatClient }> {
    const server = await startProduct([], { cwd });
    running.push(server);
    return { server, chat: await joinChat(server.url) };
  }

  it("gives a running review back, ends with 0, and the next start finishes it", async () => {
    const cwd = folder();
    const first = await start(cwd);
    const { reviewId } = await first.chat.say("/review demo HEAD");
    await first.chat.review(reviewId, "running");
    first.server.child.kill("SIGTERM");
    expect(await first.server.ended).toBe(0);
    expect(first.server.output.stdout).toContain("Stopping: what runs is given back");

    const second = await start(cwd);
    expect(await second.chat.review(reviewId, "reported", "failed")).toMatchObject({ status: "reported", attempt: 1 });
    await second.chat.event(({ message }) => /^Reviewed demo HEAD: \d+ problems$/u.test(message.text));
    const roots = (await second.chat.history()).filter(
      ({ from, visibility }) => from === "bot" && visibility === "everyone",
    );
    expect(roots.map(({ replies }) => replies.length)).toEqual([countIn(roots[0]?.text)]);
    second.chat.close();
    second.server.child.kill("SIGINT");
    expect(await second.server.ended).toBe(0);
  });

  it("ends at once at a second signal, whichever it is", async () => {
    const { server } = await start(folder());
    // A request that never ends holds the drain for its grace time.
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /api/conversations/main/messages HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: 9\r\n\r\n`,
    );
    await fetch(`${server.url}/healthz`);
    server.child.kill("SIGTERM");
    await new Promise<void>((resolve) => server.child.stdout?.on("data", () => resolve()));
    server.child.kill("SIGINT");
    expect(await server.ended).toBe("SIGINT");
    socket.destroy();
  });
});
