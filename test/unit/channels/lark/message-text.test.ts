// Texts and posts as people write them: mentions of many, everybody ignored, links as they were typed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LarkMention, type NativeText, readText } from "../../../../channels/lark/message-text.ts";
import { botOpenId } from "../../../fakes/lark/events.ts";

const bot: LarkMention = { key: "@_user_1", id: { open_id: botOpenId }, name: "AICR" };

function person(number: number, name = `P${number}`): LarkMention {
  return { key: `@_user_${number}`, id: { open_id: `ou_${number}` }, name };
}

function text(written: string, mentions: readonly LarkMention[] = [bot]): NativeText {
  return { type: "text", content: JSON.stringify({ text: written }), mentions };
}

function post(content: unknown, mentions: readonly LarkMention[] = [bot]): NativeText {
  return { type: "post", content: JSON.stringify(content), mentions };
}

describe("text messages", () => {
  it("lose the bot's mention and keep the words", () => {
    expect(readText(text("@_user_1 /review demo"), botOpenId)).toEqual({ text: "  /review demo", mentionsBot: true });
  });

  it("name other people", () => {
    const read = readText(text("@_user_1 ask @_user_2", [bot, person(2, "Tom\n Lee")]), botOpenId);
    expect(read).toEqual({ text: "  ask @Tom Lee", mentionsBot: true });
  });

  it("tell @_user_1 from @_user_10, with ten people and more", () => {
    const people = Array.from({ length: 12 }, (_, index) => person(index + 1));
    const written = people.map(({ key }) => key).join(" ");
    const read = readText(text(written, people), botOpenId);
    expect(read?.text).toBe("@P1 @P2 @P3 @P4 @P5 @P6 @P7 @P8 @P9 @P10 @P11 @P12");
  });

  it("leave a number behind a mention alone", () => {
    expect(readText(text("@_user_1 0 and @_user_19", [bot]), botOpenId)?.text).toBe("  0 and @_user_19");
  });

  it("take @_all for nobody, and not for the bot", () => {
    expect(readText(text("@_all hello", []), botOpenId)).toEqual({ text: "  hello", mentionsBot: false });
  });

  it("do not read a name as a mention", () => {
    const read = readText(text("@_user_2 hi", [bot, person(2, "@_user_1")]), botOpenId);
    expect(read).toEqual({ text: "@@_user_1 hi", mentionsBot: false });
  });

  it("mention nobody while the bot does not know itself", () => {
    expect(readText(text("@_user_1 hi", [{ ...bot, id: { open_id: "" } }]), "")?.mentionsBot).toBe(false);
  });

  it("hold together for any people and any order", () => {
    const counts = fc.integer({ min: 1, max: 120 });
    const orders = fc.array(fc.nat({ max: 119 }), { maxLength: 40 });
    fc.assert(
      fc.property(counts, orders, (count, order) => {
        const people = Array.from({ length: count }, (_, index) => person(index + 1));
        const chosen = order.map((index) => people[index % count]).filter((one) => one !== undefined);
        const read = readText(text(chosen.map(({ key }) => key).join(" "), people), botOpenId);
        expect(read?.text).toBe(chosen.map(({ name }) => `@${name}`).join(" "));
      }),
    );
  });
});

describe("posts", () => {
  it("are read line by line, with the bot's mention found", () => {
    const content = [
      [
        { tag: "at", user_id: "@_user_1", user_name: "AICR" },
        { tag: "text", text: " /review demo " },
        { tag: "a", href: "https://example.com/c/1", text: "https://example.com/c/1" },
      ],
      [
        { tag: "img", image_key: "img_1" },
        { tag: "text", text: "please" },
      ],
    ];
    const read = readText(post({ title: "", content }), botOpenId);
    expect(read).toEqual({ text: "  /review demo https://example.com/c/1\nplease", mentionsBot: true });
  });

  it("keep a mention apart from a digit that follows it", () => {
    const content = [
      [
        { tag: "at", user_id: "@_user_1" },
        { tag: "text", text: "0 demo" },
      ],
    ];
    const mentions = [bot, { ...person(10), key: "@_user_10" }];
    expect(readText(post({ content }, mentions), botOpenId)).toEqual({ text: " 0 demo", mentionsBot: true });
  });

  it("may name people by their open ids", () => {
    const content = [
      [
        { tag: "at", user_id: botOpenId },
        { tag: "text", text: "repos" },
      ],
    ];
    expect(readText(post({ content }), botOpenId)).toEqual({ text: " repos", mentionsBot: true });
  });

  it("show what was typed where a client made a link of a word", () => {
    const content = [
      [
        { tag: "text", text: "why demo " },
        { tag: "a", href: "http://main.ts", text: "main.ts" },
        { tag: "text", text: " " },
        { tag: "a", href: "https://git.example.com/pr/7", text: "Fix the door" },
      ],
    ];
    expect(readText(post({ content }), botOpenId)?.text).toBe("why demo main.ts https://git.example.com/pr/7");
  });

  it("may come once a language, and fall back to their title", () => {
    expect(readText(post({ zh_cn: { title: "help", content: [[]] } }), botOpenId)?.text).toBe("help");
  });
});

describe("other messages", () => {
  it.each([
    ["an image", { type: "image", content: '{"image_key":"img"}' }],
    ["a sticker", { type: "sticker", content: "{}" }],
    ["a card", { type: "interactive", content: '{"text":"/review demo"}' }],
    ["content that is no JSON", { type: "text", content: "{" }],
    ["content without a text", { type: "text", content: '{"text":5}' }],
    ["a post without lines", { type: "post", content: '{"content":"x"}' }],
    ["null", { type: "post", content: "null" }],
  ])("have no words: %s", (_, native) => {
    expect(readText({ ...native, mentions: [] }, botOpenId)).toBeNull();
  });

  it("never throw, whatever the content", () => {
    fc.assert(
      fc.property(fc.constantFrom("text", "post"), fc.json(), (type, content) => {
        const read = readText({ type, content, mentions: [bot] }, botOpenId);
        expect(read === null || typeof read.text === "string").toBe(true);
      }),
    );
  });
});
