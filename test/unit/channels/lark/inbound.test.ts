// Native → inbound: who is heard, in which place and thread, and what a click, a menu entry or a change of a chat means.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ephemeralId, writeButtonValue } from "../../../../channels/lark/card/button-value.ts";
import { spokenCommand } from "../../../../channels/lark/command-text.ts";
import { chatEventOf, clicked, type Hearing, heardMessage, menuEntry } from "../../../../channels/lark/inbound.ts";
import {
  botOpenId,
  chatEvent,
  clickEvent,
  flat,
  type MessageFacts,
  menuEvent,
  messageEvent,
  tenantKey,
} from "../../../fakes/lark/events.ts";

const hearing: Hearing = { botOpenId, commandName: "review", allowedBots: ["ou_friend"] };
const bot = { key: "@_user_1", openId: botOpenId, name: "AICR" };
const main = { channel: "lark", workspace: tenantKey, conversation: "oc_main" };

function hear(facts: Partial<MessageFacts>, changes: Partial<Hearing> = {}) {
  return heardMessage(flat(messageEvent({ messageId: "om_1", ...facts })), { ...hearing, ...changes });
}

describe("messages that are heard", () => {
  it("begin with the command, in a group without a mention", () => {
    expect(hear({ text: "/review demo HEAD", at: 7 })).toEqual({
      kind: "command",
      at: 7,
      isDirect: false,
      command: {
        conversation: main,
        person: { channel: "lark", workspace: tenantKey, person: "ou_asker" },
        eventId: "om_1",
        text: "demo HEAD",
        roles: [],
      },
    });
  });

  it.each([
    ["mention the bot", { text: "@_user_1 demo HEAD", mentions: [bot] }],
    ["mention the bot before the command", { text: "@_user_1 /review demo HEAD", mentions: [bot] }],
    ["mention the bot behind it", { text: "review demo HEAD @_user_1", mentions: [bot] }],
    ["are direct", { text: "demo HEAD", chatType: "p2p" as const }],
    ["are direct, with the command", { text: "/review demo HEAD", chatType: "p2p" as const }],
    ["have a full-width slash and spaces", { text: "／review　demo HEAD" }],
    ["have full-width letters", { text: "／ｒｅｖｉｅｗ demo HEAD" }],
    ["have invisible characters around", { text: "\u200b@_user_1\u200b /review demo HEAD\ufeff", mentions: [bot] }],
    ["have capitals and line ends", { text: "/REVIEW\ndemo\r\nHEAD" }],
  ])("%s", (_, facts) => {
    const heard = hear(facts);
    expect(heard).toMatchObject({ kind: "command", command: { text: "demo HEAD" } });
  });

  it("are posts too", () => {
    const content = {
      content: [
        [
          { tag: "at", user_id: "@_user_1" },
          { tag: "text", text: " review demo HEAD" },
        ],
      ],
    };
    const heard = hear({ type: "post", content, mentions: [bot] });
    expect(heard).toMatchObject({ kind: "command", command: { text: "demo HEAD" } });
  });

  it("come from bots on the list", () => {
    const heard = hear({ text: "/review demo", senderType: "app", person: "ou_friend" });
    expect(heard).toMatchObject({ kind: "command", command: { person: { person: "ou_friend" } } });
  });
});

describe("messages that are not", () => {
  it.each([
    ["speak to others", { text: "the /review is slow" }, "not_for_us"],
    ["begin with another command", { text: "/reviews demo" }, "not_for_us"],
    ["name the command without its slash", { text: "review demo" }, "not_for_us"],
    ["mention everybody", { text: "@_all review demo" }, "not_for_us"],
    ["mention somebody else", { text: "@_user_1 demo", mentions: [{ key: "@_user_1", openId: "ou_2" }] }, "not_for_us"],
    ["come from a bot", { text: "/review demo", senderType: "app", person: "ou_stranger" }, "bot"],
    ["come from the bot itself", { text: "/review demo", person: botOpenId }, "bot"],
    ["have no words", { type: "image", content: { image_key: "img" }, chatType: "p2p" as const }, "no_text"],
  ])("%s", (_, facts, why) => {
    expect(hear(facts)).toEqual({ kind: "ignored", why });
  });

  it("come from another tenant than the only one", () => {
    expect(hear({ text: "/review demo" }, { tenant: "other" })).toEqual({ kind: "ignored", why: "foreign_tenant" });
  });

  it("cannot be read", () => {
    expect(heardMessage({ message: {} }, hearing)).toEqual({ kind: "ignored", why: "malformed" });
  });
});

describe("threads", () => {
  it("hang on their root", () => {
    const heard = hear({ text: "/review demo", rootId: "om_root", threadId: "omt_1" });
    expect(heard).toMatchObject({ command: { thread: "om_root" } });
  });

  it("in a topic group without a root's id hang on the message itself", () => {
    expect(hear({ text: "/review demo", threadId: "omt_1" })).toMatchObject({ command: { thread: "om_1" } });
  });

  it("are not made by quoting a message", () => {
    expect(hear({ text: "/review demo", rootId: "om_root" })).not.toHaveProperty("command.thread");
  });
});

describe("the command's text", () => {
  it.each([
    ["/review", "", true],
    ["/review demo", "demo", true],
    ["  ／ review demo  ", "demo", true],
    ["review demo", "demo", false],
    ["help", "help", false],
    ["/help", "help", false],
    ["", "", false],
  ])("of %j is %j", (written, text, isNamed) => {
    expect(spokenCommand(written, "review")).toEqual({ text, isNamed });
  });

  it("survives whatever stands around it", () => {
    const spaces = fc.stringMatching(/^[ \t\n\u3000\u200b]{0,5}$/);
    const words = fc.stringMatching(/^[a-z0-9.:/-]{1,20}$/).filter((word) => !/^[/]/.test(word) && word !== "review");
    fc.assert(
      fc.property(spaces, words, spaces, (before, word, after) => {
        expect(spokenCommand(`${before}/review ${word}${after}`, "review")).toEqual({ text: word, isNamed: true });
      }),
    );
  });
});

describe("clicks", () => {
  const token = "v1:abc123";

  it("tell token, person and card", () => {
    const native = clickEvent({ value: writeButtonValue({ token }), message: "om_card", eventId: "ev_1" });
    expect(clicked(flat(native), {})).toEqual({
      action: {
        conversation: main,
        person: { channel: "lark", workspace: tenantKey, person: "ou_asker" },
        eventId: "ev_1",
        token,
        message: { ...main, message: "om_card" },
        values: {},
        roles: [],
      },
    });
  });

  it("on a card that only one person sees tell the marked id and the place it was meant for", () => {
    const value = writeButtonValue({ token, chat: "oc_meant", isEphemeral: true });
    const read = clicked(flat(clickEvent({ value, message: "om_card", chat: "oc_shown" })), {});
    expect(read).toMatchObject({
      action: { conversation: { conversation: "oc_meant" }, message: { message: ephemeralId("om_card") } },
    });
  });

  it("on a form bring its texts, and name the card it was asked for", () => {
    const asked = {
      ...writeButtonValue({ token, chat: "oc_main", message: "om_card" }),
      asker: "ou_asker",
      thread: "om_root",
    };
    const formValue = { reason: "known", many: ["a", "b"] };
    const read = clicked(flat(clickEvent({ value: asked, message: "om_form", formValue })), {});
    expect(read).toMatchObject({
      formCard: "om_form",
      action: { values: { reason: "known" }, message: { message: "om_card", thread: "om_root" } },
    });
    expect(read).not.toHaveProperty("action.values.many");
  });

  it("on somebody else's form are refused", () => {
    const value = { ...writeButtonValue({ token, message: "om_card" }), asker: "ou_other" };
    expect(clicked(flat(clickEvent({ value, message: "om_form" })), {})).toBe("not_yours");
  });

  it.each([
    ["a text", "v1:abc"],
    ["nothing", undefined],
    ["another bot's value", { action: "ok" }],
    ["a token of another shape", { token: "v2:abc" }],
    ["a token that runs on", { token: "v1:abc/../x" }],
  ])("with %s for a value are unknown", (_, value) => {
    expect(clicked(flat(clickEvent({ value, message: "om_card" })), {})).toBe("unknown");
  });

  it("never throw, whatever the value", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(clicked(flat(clickEvent({ value, message: "om_card" })), {})).toBeTruthy();
      }),
    );
  });
});

describe("menu entries", () => {
  const menu = { repos: "repos", "my.status": "status" };

  it("are commands of the person", () => {
    expect(menuEntry(flat(menuEvent("my.status", { eventId: "ev_7", at: 5 })), menu, {})).toEqual({
      eventId: "ev_7",
      workspace: tenantKey,
      person: { channel: "lark", workspace: tenantKey, person: "ou_asker", name: "Ann" },
      text: "status",
      at: 5,
    });
  });

  it.each(["constructor", "unknown"])("that are not configured are none: %s", (key) => {
    expect(menuEntry(flat(menuEvent(key)), menu, {})).toBeNull();
  });
});

describe("what happens to chats", () => {
  it.each([
    ["im.chat.member.bot.added_v1", { name: "Games" }, { kind: "joined", name: "Games" }],
    ["im.chat.member.bot.deleted_v1", { name: "Games" }, { kind: "left" }],
    ["im.chat.disbanded_v1", {}, { kind: "archived" }],
    ["im.chat.updated_v1", { name: "Old", newName: "New" }, { kind: "renamed", name: "New" }],
  ] as const)("%s", (type, facts, expected) => {
    const read = chatEventOf(type, flat(chatEvent(type, { eventId: "ev_1", ...facts })), {});
    expect(read).toEqual({ eventId: "ev_1", lifecycle: { conversation: main, ...expected } });
  });

  it("is no news when the name stays", () => {
    expect(chatEventOf("im.chat.updated_v1", flat(chatEvent("im.chat.updated_v1")), {})).toBeNull();
  });
});
