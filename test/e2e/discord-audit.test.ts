// The audit feed at Discord, from the outcome of a review to the post: one silent line for each event, several in one message, tags in a forum.
import { afterEach, beforeEach, expect, it } from "vitest";
import { discordCapabilities } from "../../channels/discord/capabilities.ts";
import { messageFlags } from "../../channels/discord/wire.ts";
import { createComposeDelivery } from "../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../src/app/deliver.ts";
import { createPublishReport, type ReviewOutcome } from "../../src/app/publish-report.ts";
import { createRestrain } from "../../src/app/restrain.ts";
import { createTellAuditors } from "../../src/app/tell-auditors.ts";
import { createLinkBuilder } from "../../src/cards/links.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Report } from "../../src/core/report.ts";
import { noFilters, type Subscription } from "../../src/core/subscription.ts";
import type { Channel } from "../../src/ports/channel.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { change, claimed, finding, fresh, problem, request, reviewed, timings } from "../contract/store-samples.ts";
import { nested } from "../fakes/discord/body-rules.ts";
import { readDiscordMarkdown } from "../fakes/discord/markdown-reader.ts";
import { kinds, type WorldMessage } from "../fakes/discord/rest-world.ts";
import { type SendingSide, startSendingSide } from "../fakes/discord/sending-side.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../fakes/temp-store.ts";

const texts = createTexts({ folders: [] });
const ids = createFixedIds();
const links = () => createLinkBuilder({ commit: "https://git.example.org/demo/commit/{rev}" });
let side: SendingSide;
let temp: TempStore;
let subscriptions: { of(): Promise<readonly Subscription[]> };

beforeEach(async () => {
  side = await startSendingSide();
  temp = await createTempStore();
});
afterEach(async () => {
  await temp.remove();
  await side.stop();
});

/** Conversations in audit mode. */
function subscribe(...conversations: readonly ConversationRef[]): void {
  const common = { repository: "demo", filters: noFilters, mode: "audit", severity: "info", locale: "en" } as const;
  const all = conversations.map((conversation, n): Subscription => {
    return { ...common, id: `sb_${n}`, conversation, origin: "command" };
  });
  subscriptions = { of: async () => all };
}

/** A push whose review ends so; nothing is sent yet. */
async function push(result: Report | AppError): Promise<void> {
  const { store } = temp;
  const { clock } = side;
  const publish = createPublishReport({
    store,
    subscriptions: { ...subscriptions, noProblems: () => "suppress" },
    restrain: createRestrain({ store, clock }),
    clock,
    ids,
  });
  await store.acceptReview(request({ jobKey: `key-${fresh()}`, now: clock.now() }));
  const job = await claimed(store, clock.now());
  const of = change();
  await store.startReview({ job: job.id, token: job.token, review: job.review.id, change: of, now: clock.now() });
  const outcome: ReviewOutcome =
    result instanceof AppError
      ? { kind: "failed", error: result, change: of, files: [] }
      : { kind: "report", change: of, files: [], report: result, isSettled: async () => true };
  expect(await publish(job, outcome, timings)).toBe(true);
}

async function deliver(): Promise<void> {
  const { clock, client } = side;
  const channel = { ...client, name: "discord", capabilities: discordCapabilities } as unknown as Channel;
  const digest = () => Promise.reject(new Error("no digest is owed"));
  const compose = createComposeDelivery({ store: temp.store, texts, links, clock, ids, digest });
  const channels = new Map([["discord", channel]]);
  const next = createDeliverNext({ store: temp.store, channels, compose, clock, ids, logger: silentLogger });
  while (await next());
}

const clean: Report = { outcome: "clean", summaries: [] };
const found: Report = { outcome: "reported", summaries: [], problems: [problem("f1")] };
const skipped: Report = { outcome: "skipped", reason: "no_reviewable_code", summaries: [] };
const broken = new AppError("unavailable", "The repository could not be reached.", { remedy: "Look at the network." });

function isQuiet({ flags }: WorldMessage): boolean {
  return (flags & messageFlags.quiet) !== 0;
}

function read({ components }: WorldMessage): string {
  const shown = nested(components).flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  return readDiscordMarkdown(shown.join("\n")).text;
}

it("a text channel gets one message of a line each, linked, and nobody is notified", async () => {
  subscribe(side.conversation);
  for (const result of [found, clean, skipped, broken]) await push(result);
  await deliver();
  // What is found is reported here too, aloud and in full; its line is one of the audit's.
  const [report, message, ...others] = side.messages();
  expect(others).toEqual([]);
  if (report === undefined || message === undefined) throw new Error("nothing was sent");
  expect(isQuiet(report)).toBe(false);
  expect(isQuiet(message)).toBe(true);
  // No box around lines, and no button.
  expect(nested(message.components).map(({ type }) => type)).toEqual([10, 10]);
  const lines = read(message).split("\n");
  expect(lines[0]).toBe("4 events");
  expect(lines[1]).toMatch(/^demo .*: 1 \w+/);
  expect(lines[2]).toMatch(/^demo .*: no problems/);
  expect(lines[3]).toMatch(/^demo .*: The change holds no code to review/);
  expect(lines[4]).toMatch(/^demo .*: the review failed/);
  expect(JSON.stringify(message.components)).toContain("https://git.example.org/demo/commit/aaaa");
});

it("a forum gets a silent post for each event, with the tag of its outcome", async () => {
  const forum = side.world.addChannel(side.conversation.workspace, kinds.forum);
  for (const name of ["clean", "findings", "error", "other"]) side.world.addTag(forum.id, name);
  forum.requiresTag = true;
  subscribe(side.conversationOf(forum.id));
  for (const result of [clean, found, broken, skipped]) {
    await push(result);
    await deliver();
  }
  const all = [...side.world.channels.values()].filter(({ parent }) => parent === forum.id);
  const posts = all.filter(({ messages }) => messages.every(isQuiet));
  const [report, ...others] = all.filter((post) => !posts.includes(post));
  expect(others).toEqual([]);
  expect(report?.messages.length).toBeGreaterThan(1);
  const tags = posts.map(({ appliedTags }) => appliedTags.map((id) => forum.tags.find((tag) => tag.id === id)?.name));
  // A skipped change is none of the three: it is tagged only because this forum wants a tag.
  expect(tags).toEqual([["clean"], ["findings"], ["error"], ["other"]]);
  expect(posts[0]?.name).toMatch(/^demo .*: no problems/);
  for (const { messages } of posts) expect(messages).toHaveLength(1);
});

it("tells who dismissed what and why, and what people write neither pings nor links", async () => {
  subscribe(side.conversation);
  await reviewed(temp.store, {}, { findings: [finding("f1")] });
  const [stored] = await temp.store.findingsByKeys("demo", ["f1"]);
  if (stored === undefined) throw new Error("the finding is not stored");
  const tell = createTellAuditors({ store: temp.store, subscriptions, clock: side.clock, ids, wake: () => {} });
  const reason = `<@${side.person.person}> @everyone [see](https://evil.example) **bold**`;
  await tell(stored, { kind: "dismissed", by: "Ann", reason });
  await deliver();
  const [message] = side.messages();
  if (message === undefined) throw new Error("nothing was sent");
  expect(read(message)).toContain("demo src/a.ts: dismissed by Ann");
  const source = nested(message.components).flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  expect(readDiscordMarkdown(source.join("\n")).live).toEqual([]);
  expect(message.pinged).toEqual([]);
});
