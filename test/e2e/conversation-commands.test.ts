// A conversation with the built server, by its Web API: subscriptions, mutes, findings, why, and a range answered twice.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatClient, joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";

const folder = temporaryDirectory("aicr-talk-");
let server: RunningServer;
let chat: ChatClient;

beforeAll(async () => {
  writeFileSync(
    join(folder.path, "aicr-bot.yaml"),
    "server:\n  port: 0\nrepositories:\n  - alias: demo\n    demo: true\n  - alias: hidden\n    demo: true\n    visible_to: []\n",
  );
  server = await startProduct([], { cwd: folder.path });
  chat = await joinChat(server.url);
});
afterAll(async () => {
  chat.close();
  await server.kill();
  folder.remove();
});

/** What the bot answers at once. */
async function ask(text: string, language = "en"): Promise<string> {
  const { messageId } = await chat.say(text, language);
  const history = await chat.history();
  return history[history.findIndex(({ id }) => id === messageId) + 1]?.text ?? "";
}

it("subscribes, mutes and lists, and keeps it", async () => {
  expect(await ask("/review subscriptions")).toContain("subscribed to nothing");
  expect(
    await ask("/review subscribe demo severity：high path:“src/**” quiet:22:00-08:00 tz:Asia/Ho_Chi_Minh"),
  ).toContain("subscribed this conversation to demo");
  expect(await ask("/review mute 2h demo")).toContain("muted demo here until");
  const listed = await ask("/review subscriptions");
  expect(listed).toContain("demo path:src/** severity:high tz:Asia/Ho_Chi_Minh quiet:22:00-08:00");
  expect(listed).toContain("demo is muted until");
  expect(await ask("/review unmute")).toContain("ended the mute");
});

it("answers what is hidden like what does not exist", async () => {
  const answer = async (name: string) => (await ask(`/review why ${name} HEAD`)).replaceAll(name, "<name>");
  expect(await answer("hidden")).toBe(await answer("nowhere"));
});

it("answers the same range from the store, and does it again when asked to", async () => {
  const first = (await chat.say("/review demo HEAD~1")).reviewId;
  await chat.review(first, "skipped");
  const second = (await chat.say("/review demo HEAD~1")).reviewId;
  expect(await chat.review(second, "skipped")).toMatchObject({ answeredFrom: first });
  const note = `For a fresh one: rerun ${second}`;
  await chat.event(({ message }) => message.visibility === "asker" && message.text.includes(note));
  const third = (await chat.say(`/review rerun ${second}`)).reviewId;
  const again = await chat.review(third, "skipped");
  expect(again["answeredFrom"]).toBeUndefined();
});

it("tells why, and keeps a dismissed finding silent", async () => {
  const id = (await chat.say("/review demo HEAD")).reviewId;
  await chat.review(id, "reported");
  expect(await ask("/review why demo HEAD")).toContain(`${id} of`);
  const listed = await ask("/review findings demo");
  const finding = /fd_\w+/u.exec(listed)?.[0] ?? "";
  const count = Number(/^(\d+) open findings in demo/u.exec(listed)?.[1]);
  expect(count).toBeGreaterThan(5);
  expect(await ask(`/review dismiss ${finding} only an example`)).toContain("Reason: only an example");
  expect(await ask("/review findings demo")).toContain(`${count - 1} open findings in demo`);
  expect(await ask("/review findings demo dismissed", "vi")).toMatch(/^1 phát hiện đã bỏ qua[\s\S]*only an example/u);
});
