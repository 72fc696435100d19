// A report at Discord whose every answer gets lost, with a new process after each: each message stands there once, in its place.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import { problem } from "../contract/store-samples.ts";
import { nested } from "../fakes/discord/body-rules.ts";
import { type PublishingSide, startPublishingSide } from "../fakes/discord/publishing-side.ts";
import { kinds, type WorldMessage } from "../fakes/discord/rest-world.ts";

let side: PublishingSide;
beforeEach(async () => {
  side = await startPublishingSide();
});
afterEach(() => side.stop());

const report: Report = { outcome: "reported", summaries: [], problems: [problem("f1"), problem("f2")] };

/** Until nothing is owed any more; time passes between the tries, and whoever tries remembers nothing. */
async function deliverAll(): Promise<void> {
  for (let round = 0; round < 40; round++) {
    await side.deliver(true);
    if ((await side.store.queue(side.clock.now())).undelivered === 0) return;
    side.clock.advance(60_000);
  }
  throw new Error("it is still owed");
}

function textOf({ components }: WorldMessage): string {
  return nested(components)
    .map(({ content }) => String(content ?? ""))
    .join("\n");
}

it("in a text channel: root, thread and both findings, once", async () => {
  side.subscribe("report", side.conversation);
  await side.push(report);
  side.fake.trouble({ method: "POST", times: 4, after: true, answer: { status: 502 } });
  await deliverAll();
  const [root, ...others] = side.messages();
  expect(others).toEqual([]);
  const inThread = side.messages(root?.id);
  expect(inThread.map((message) => /wrong": f\d/.exec(textOf(message))?.[0]).sort()).toEqual([
    'wrong": f1',
    'wrong": f2',
  ]);
  // 4 lost answers: the root's, the thread's, and those of both findings.
  expect(side.requests("POST").filter(({ status }) => status === 502)).toHaveLength(4);
});

it("in a forum, where Discord knows no nonce: one post with both findings", async () => {
  const forum = side.world.addChannel(side.conversation.workspace, kinds.forum);
  side.subscribe("report", side.conversationOf(forum.id));
  await side.push(report);
  side.fake.trouble({ method: "POST", times: 3, after: true, answer: { status: 502 } });
  await deliverAll();
  const posts = [...side.world.channels.values()].filter(({ parent }) => parent === forum.id);
  expect(posts).toHaveLength(1);
  expect(posts[0]?.messages).toHaveLength(3);
});

it("with requests that never arrive: sent again, and once", async () => {
  side.subscribe("report", side.conversation);
  await side.push(report);
  side.fake.trouble({ method: "POST", times: 3, silence: "cut" });
  await deliverAll();
  const [root] = side.messages();
  expect(side.messages()).toHaveLength(1);
  expect(side.messages(root?.id)).toHaveLength(2);
});

it("with the channel closed: given up, paused, and not tried again and again", async () => {
  side.subscribe("report", side.conversation);
  await side.push(report);
  side.world.deny(side.conversation.conversation, "SendMessages");
  await deliverAll();
  expect(side.requests("POST")).toHaveLength(1);
  expect(side.messages()).toEqual([]);
});

it("over the server's limits: waits as long as it is told, and comes in order", async () => {
  side.subscribe("report", side.conversation);
  await side.push(report);
  side.fake.trouble({ method: "POST", path: /messages$/, answer: { status: 429, retryAfter: 300, scope: "shared" } });
  await side.deliver();
  expect(side.messages()).toEqual([]);
  side.clock.advance(299_000);
  await side.deliver();
  expect(side.messages()).toEqual([]);
  side.clock.advance(2_000);
  await side.deliver();
  expect(side.messages()).toHaveLength(1);
  expect(side.messages(side.messages()[0]?.id)).toHaveLength(2);
});
