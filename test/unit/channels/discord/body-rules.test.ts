// The rules that the small Discord holds bodies to: each refuses what it should, and Discord's own description is strict.
import { describe, expect, it } from "vitest";
import {
  breaksDiscord,
  COMPONENTS_V2,
  callbackMistakes,
  commandMistakes,
  EPHEMERAL,
  messageMistakes,
} from "../../../fakes/discord/body-rules.ts";
import { specMistakes, specSize } from "../../../fakes/discord/rest-spec.ts";

type Json = Readonly<Record<string, unknown>>;

const nobody = { parse: [] };
const v2 = (components: readonly Json[], more: Json = {}): Json => ({
  flags: COMPONENTS_V2,
  components,
  allowed_mentions: nobody,
  ...more,
});
const legacy = (more: Json): Json => ({ content: "x", allowed_mentions: nobody, ...more });
const text = (content = "x"): Json => ({ type: 10, content });
const button = (more: Json = {}): Json => ({ type: 2, style: 2, label: "a", custom_id: "v1:a", ...more });
const row = (...components: Json[]): Json => ({ type: 1, components });
const link = (more: Json = {}): Json => ({ type: 2, style: 5, label: "a", url: "https://a.b/", ...more });
const mistakes = (body: Json, files: readonly string[] = []) => messageMistakes(body, { via: "bot", files });

describe("Discord's own description", () => {
  it("is loaded whole, and strict", () => {
    expect(specSize).toBeGreaterThan(500);
    expect(specMistakes("MessageCreateRequest", v2([text()]))).toEqual([]);
    expect(specMistakes("MessageCreateRequest", v2([text()], { bogus: 1 }))).not.toEqual([]);
    expect(specMistakes("MessageCreateRequest", v2([{ ...text(), bogus: 1 }]))).not.toEqual([]);
  });

  it.each([
    ["eleven embeds", legacy({ embeds: Array.from({ length: 11 }, () => ({ title: "a" })) })],
    ["six buttons in a row", v2([row(...Array.from({ length: 6 }, (_, n) => button({ custom_id: `v1:${n}` })))])],
    ["a label of 81 signs", v2([row(button({ label: "a".repeat(81) }))])],
    ["a custom_id of 101 signs", v2([row(button({ custom_id: "a".repeat(101) }))])],
    ["an address of 513 signs", v2([row(link({ url: `https://a.b/${"a".repeat(501)}` }))])],
    ["a container in a container", v2([{ type: 17, components: [{ type: 17, components: [text()] }] }])],
    ["an empty container", v2([{ type: 17, components: [] }])],
    ["a nonce of 26 signs", v2([text()], { nonce: "a".repeat(26) })],
  ])("refuses %s", (_, body) => {
    expect(specMistakes("MessageCreateRequest", body)).not.toEqual([]);
  });

  it("refuses names and tags over their limits", () => {
    expect(specMistakes("CreateTextThreadWithMessageRequest", { name: "a".repeat(101) })).not.toEqual([]);
    expect(specMistakes("CreateTextThreadWithMessageRequest", { name: "a", auto_archive_duration: 61 })).not.toEqual(
      [],
    );
    const post = { name: "a", message: v2([text()]), applied_tags: ["1", "2", "3", "4", "5", "6"] };
    expect(specMistakes("CreateForumThreadRequest", post)).not.toEqual([]);
    const choices = Array.from({ length: 26 }, () => ({ name: "a", value: "a" }));
    expect(specMistakes("ApplicationCommandAutocompleteCallbackRequest", { type: 8, data: { choices } })).not.toEqual(
      [],
    );
  });
});

describe("what it misses", () => {
  it.each([
    ["nothing to refuse", v2([text()]), []],
    ["content over 2,000 signs", legacy({ content: "x".repeat(2_001) }), ["content has 2001 characters"]],
    ["an empty message", { allowed_mentions: nobody }, ["the message is empty"]],
    [
      "an empty embed field",
      legacy({ embeds: [{ fields: [{ name: "a", value: " " }] }] }),
      ["an embed field without name or value"],
    ],
    [
      "embeds over 6,000 signs together",
      legacy({ embeds: [{ description: "x".repeat(3_500) }, { description: "x".repeat(2_501) }] }),
      ["embeds have 6001 characters together"],
    ],
    [
      "six rows",
      legacy({ components: Array.from({ length: 6 }, (_, n) => row(button({ custom_id: `v1:${n}` }))) }),
      ["6 rows"],
    ],
    [
      "41 components within others",
      v2([{ type: 17, components: Array.from({ length: 40 }, () => text()) }]),
      ["41 components, more than 40"],
    ],
    [
      "4,001 signs of text",
      v2([text("x".repeat(2_000)), { type: 17, components: [text("x".repeat(2_001))] }]),
      ["4001 characters of text, more than 4000"],
    ],
    ["V2 with content", v2([text()], { content: "x" }), ["V2 with content"]],
    ["V2 with embeds", v2([text()], { embeds: [{ title: "a" }] }), ["V2 with embeds"]],
    ["V2 components without the flag", legacy({ components: [text()] }), ["V2 components without the flag"]],
    ["a custom_id twice", v2([row(button(), button())]), ["a custom_id stands twice"]],
    [
      "a component id twice",
      v2([
        { ...text(), id: 5 },
        { ...text(), id: 5 },
      ]),
      ["a component id stands twice"],
    ],
    ["a button without custom_id", v2([row({ type: 2, style: 2, label: "a" })]), ["a button has no custom_id"]],
    ["a link button with custom_id", v2([row(link({ custom_id: "v1:a" }))]), ["a link button has a custom_id"]],
    ["a link button to a script", v2([row(link({ url: "javascript:1" }))]), ["a link button leads nowhere"]],
    ["a button without a label", v2([row(button({ label: "" }))]), ["a button has neither label nor emoji"]],
    [
      "a file that is no attachment",
      v2([{ type: 13, file: { url: "https://a.b/c.png" } }]),
      ["a file that is no attachment"],
    ],
    [
      "a file that did not come",
      v2([{ type: 12, items: [{ media: { url: "attachment://a.png" } }] }]),
      ["the attachment a.png did not come"],
    ],
    [
      "parse and users together",
      v2([text()], { allowed_mentions: { parse: ["users"], users: ["1"] } }),
      ["allowed_mentions.parse lets something ping", "allowed_mentions has users twice"],
    ],
    ["no allowed_mentions", { flags: COMPONENTS_V2, components: [text()] }, ["allowed_mentions is missing"]],
    [
      "allowed_mentions without parse",
      v2([text()], { allowed_mentions: { users: ["1"] } }),
      ["allowed_mentions.parse is missing"],
    ],
    [
      "roles that ping",
      v2([text()], { allowed_mentions: { parse: [], roles: ["1"] } }),
      ["allowed_mentions.roles lets roles ping"],
    ],
    ["a private message by the bot", v2([text()], { flags: COMPONENTS_V2 | EPHEMERAL }), ["flags has 64"]],
    ["enforce_nonce without nonce", v2([text()], { enforce_nonce: true }), ["enforce_nonce without nonce"]],
    ["an empty text", v2([text(" ")]), ["a text display without text"]],
  ])("%s", (_, body, expected) => {
    expect(mistakes(body)).toEqual(expected);
  });

  it("files and their names", () => {
    const file = { type: 13, file: { url: "attachment://a.md" } };
    const listed = (attachments: readonly Json[]) => v2([file], { attachments });
    expect(mistakes(listed([{ id: 0, filename: "a.md" }]), ["a.md"])).toEqual([]);
    expect(mistakes(listed([{ id: 1, filename: "a.md" }]), ["a.md"])).toEqual([
      "attachments names file 1, which did not come",
    ]);
    expect(mistakes(listed([{ id: 0, filename: "b.md" }]), ["a.md"])).toEqual([
      "attachments gives file 0 another name",
    ]);
  });

  it("a message over which Discord breaks", () => {
    expect(breaksDiscord(v2([text("\u8bc4".repeat(3_400))]))).toBe(true);
    expect(breaksDiscord(v2([text("\u8bc4".repeat(3_000))]))).toBe(false);
  });

  it("answers to interactions", () => {
    expect(callbackMistakes({ type: 5, data: { flags: EPHEMERAL } })).toEqual([]);
    expect(callbackMistakes({ type: 5, data: { flags: EPHEMERAL | COMPONENTS_V2 } })).toHaveLength(1);
    const field = { type: 18, label: "a", component: { type: 4, custom_id: "a", style: 1 } };
    expect(callbackMistakes({ type: 9, data: { title: "a", custom_id: "v1:a", components: [field] } })).toEqual([]);
    expect(
      callbackMistakes({ type: 9, data: { title: "a".repeat(46), custom_id: "v1:a", components: [field, field] } }),
    ).toEqual(["a form's title has more than 45 characters", "a custom_id stands twice"]);
    expect(callbackMistakes({ type: 4, data: { content: "x" } })).toEqual(["allowed_mentions is missing"]);
  });

  it("commands", () => {
    const option = (more: Json = {}): Json => ({ type: 3, name: "repo", description: "d", ...more });
    const command = (...options: Json[]): Json => ({ name: "review", description: "d", options });
    expect(commandMistakes(command(option({ required: true }), option({ name: "rev" })))).toEqual([]);
    expect(commandMistakes(command(option(), option({ name: "rev", required: true })))).toHaveLength(1);
    expect(commandMistakes(command(option({ autocomplete: true, choices: [{ name: "a", value: "a" }] })))).toHaveLength(
      1,
    );
    expect(commandMistakes({ name: "Review", description: "d" })).toEqual(["Review: has capitals"]);
    expect(commandMistakes(command(option(), option()))).toEqual(["review: an option stands twice"]);
    const wordy = Array.from({ length: 25 }, (_, n) => option({ name: `o${n}`, description: "d".repeat(330) }));
    expect(commandMistakes(command(...wordy))[0]).toMatch(/characters together/);
  });
});
