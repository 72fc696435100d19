// Buttons on the server as a stranger starts it: dismissed with a reason, shown on the card, silent afterwards, and reopened.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatClient, type ChatMessage, joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";

const folder = temporaryDirectory("aicr-buttons-");
let server: RunningServer;
let chat: ChatClient;

beforeAll(async () => {
  const config = "server:\n  port: 0\nrepositories:\n  - alias: demo\n    demo: true\n";
  writeFileSync(join(folder.path, "aicr-bot.yaml"), config);
  server = await startProduct([], { cwd: folder.path });
  chat = await joinChat(server.url);
});
afterAll(async () => {
  chat.close();
  await server.kill();
  folder.remove();
});

interface Button {
  readonly label: string;
  readonly token?: string;
}

function buttons({ card }: ChatMessage): readonly Button[] {
  const blocks = (card?.blocks ?? []) as readonly { readonly kind: string; readonly actions?: readonly Button[] }[];
  return blocks.flatMap(({ actions = [] }) => actions);
}

async function press(message: ChatMessage, label: string, values: Record<string, string> = {}, room = "main") {
  const token = buttons(message).find((button) => button.label === label)?.token;
  expect(token, label).toMatch(/^v1:/);
  const answer = await fetch(`${server.url}/api/conversations/${room}/actions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: message.id, token, values }),
  });
  return { status: answer.status, body: (await answer.json()) as { form?: { token: string } } };
}

it("dismisses with a reason, keeps silent in the next review, reopens, and runs again", async () => {
  const { reviewId } = await chat.say("/review demo HEAD");
  await chat.review(reviewId, "reported");
  const { message: card } = await chat.event(({ message }) =>
    buttons(message).some(({ label }) => label === "Dismiss"),
  );
  const asked = await press(card, "Dismiss");
  expect(asked.body.form).toMatchObject({ title: "Why is this no problem?", fields: [{ name: "reason" }] });
  expect((await press(card, "Dismiss", { reason: "by design" }, "other")).status).toBe(404);
  await press(card, "Dismiss", { reason: "by design" });
  const { message: dismissed } = await chat.event(
    ({ name, message }) => name === "message.updated" && message.id === card.id,
  );
  expect(dismissed.text).toContain("Dismissed by local: by design");
  expect(buttons(dismissed).map(({ label }) => label)).toContain("Reopen");

  const again = await chat.say("/review findings demo dismissed");
  expect(again.messageId).toBeTruthy();
  await press(dismissed, "Reopen");
  await chat.event(
    ({ message }) => message.id === card.id && message.editedAt !== undefined && !message.text.includes("Dismissed by"),
  );

  // The same by command: the card says so in its place.
  await chat.say("/review findings demo");
  const { message: list } = await chat.event(({ message }) => /fd_\w+/.test(message.text));
  const id = /fd_\w+/.exec(list.text)?.[0];
  await chat.say(`/review dismiss ${id} known since spring`);
  const { message: told } = await chat.event(
    ({ name, message }) =>
      name === "message.updated" && message.text.includes("Dismissed by local: known since spring"),
  );
  expect(buttons(told).map(({ label }) => label)).toContain("Reopen");

  const root = (await chat.history()).find((one) => buttons(one).some(({ label }) => label === "Re-run"));
  if (root === undefined) throw new Error("no root has a button");
  const before = chat.events.length;
  expect((await press(root, "Re-run")).status).toBe(202);
  await expect
    .poll(() => chat.events.slice(before).some(({ message }) => message.visibility === "asker"), { timeout: 20_000 })
    .toBe(true);
}, 60_000);
