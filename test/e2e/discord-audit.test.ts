// The audit feed at Discord, from the outcome of a review to the post: one silent line for each event, several in one message, tags in a forum.
import { afterEach, beforeEach, expect, it } from "vitest";
import { messageFlags } from "../../channels/discord/wire.ts";
import { createTellAuditors } from "../../src/app/tell-auditors.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Report } from "../../src/core/report.ts";
import { finding, problem, reviewed } from "../contract/store-samples.ts";
import { nested } from "../fakes/discord/body-rules.ts";
import { readDiscordMarkdown } from "../fakes/discord/markdown-reader.ts";
import { type PublishingSide, startPublishingSide } from "../fakes/discord/publishing-side.ts";
import { kinds, type WorldMessage } from "../fakes/discord/rest-world.ts";

let side: PublishingSide;
beforeEach(async () => {
  side = await startPublishingSide();
});
afterEach(() => side.stop());

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
  side.subscribe("audit", side.conversation);
  for (const result of [found, clean, skipped, broken]) await side.push(result);
  await side.deliver();
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
  side.subscribe("audit", side.conversationOf(forum.id));
  for (const result of [clean, found, broken, skipped]) {
    await side.push(result);
    await side.deliver();
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
  side.subscribe("audit", side.conversation);
  await reviewed(side.store, {}, { findings: [finding("f1")] });
  const [stored] = await side.store.findingsByKeys("demo", ["f1"]);
  if (stored === undefined) throw new Error("the finding is not stored");
  const tell = createTellAuditors({ ...side, wake: () => {} });
  const reason = `<@${side.person.person}> @everyone [see](https://evil.example) **bold**`;
  await tell(stored, { kind: "dismissed", by: "Ann", reason });
  await side.deliver();
  const [message] = side.messages();
  if (message === undefined) throw new Error("nothing was sent");
  expect(read(message)).toContain("demo src/a.ts: dismissed by Ann");
  const source = nested(message.components).flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  expect(readDiscordMarkdown(source.join("\n")).live).toEqual([]);
  expect(message.pinged).toEqual([]);
});
