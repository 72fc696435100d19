// Messages, menu entries and chats' events from push to answer: once, in time, and late ones with their age.
import { beforeEach, describe, expect, it } from "vitest";
import { renderCard } from "../../../../channels/lark/render.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { chatEvent, menuEvent, messageEvent, tenantKey } from "../../../fakes/lark/events.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";
import { type HearingFixture, makeHearing } from "./hearing-side.ts";

let lark: HearingFixture;

beforeEach(() => {
  lark = makeHearing();
});

const conversation = { channel: "lark", workspace: tenantKey, conversation: "oc_main" };
const asker = { channel: "lark", workspace: tenantKey, person: "ou_asker" };

function question(changes: Partial<Parameters<typeof messageEvent>[0]> = {}) {
  return messageEvent({ messageId: "om_1", text: "/review demo", at: lark.clock.now(), ...changes });
}

describe("commands", () => {
  it("are handed to the core, and its answer goes to the asker alone", async () => {
    lark.core.command = async () => ({ page: plainPage("Soon"), visibility: "asker" });
    expect(await lark.push(question())).toBeUndefined();
    await lark.side.ended(1_000);
    expect(lark.commands).toMatchObject([{ eventId: "om_1", text: "demo" }]);
    const [sent] = lark.sent;
    expect(sent).toEqual({ target: { conversation, onlyFor: asker }, page: plainPage("Soon"), key: "reply/om_1" });
  });

  it("name the asker where the name is known", async () => {
    lark.names.set("ou_asker", "Ann");
    await lark.push(question());
    expect(lark.commands[0]?.person).toMatchObject({ person: "ou_asker", name: "Ann" });
  });

  it("are answered to everyone, in their thread, where the core says so", async () => {
    lark.core.command = async () => ({ page: plainPage("Hear"), visibility: "everyone" });
    await lark.push(question({ rootId: "om_root", threadId: "omt_1" }));
    await lark.side.ended(1_000);
    expect(lark.sent[0]?.target).toEqual({ conversation, thread: "om_root" });
  });

  it("are answered with silence where the core has none to give", async () => {
    await lark.push(question());
    await lark.side.ended(1_000);
    expect(lark.sent).toEqual([]);
  });

  it("that are none of ours reach nobody", async () => {
    await lark.push(question({ text: "good morning" }));
    expect(lark.commands).toEqual([]);
    expect(lark.logged).toContain("lark.message_ignored");
  });
});

describe("the same message twice", () => {
  it("is one command, whatever its event is called", async () => {
    await lark.push(question({ eventId: "ev_1" }));
    await lark.push(question({ eventId: "ev_2" }));
    expect(lark.commands).toHaveLength(1);
  });

  it("is one command after a restart, eight hours later", async () => {
    const first = question();
    await lark.push(first);
    lark.clock.advance(8 * 3_600_000);
    const restarted = lark.restart();
    await restarted.push(first);
    expect(restarted.commands).toEqual([]);
    expect(restarted.logged).toContain("lark.event_repeated");
  });

  it("is a second try when the core failed before", async () => {
    lark.core.command = () => Promise.reject(new Error("the database is busy"));
    await expect(lark.push(question())).rejects.toThrow("busy");
    lark.core.command = async () => null;
    await lark.push(question());
    expect(lark.commands).toHaveLength(2);
  });
});

describe("a core that is slow", () => {
  it("lets the platform push again after two and a half seconds, and is asked once", async () => {
    let finish = (): void => undefined;
    lark.core.command = () =>
      new Promise((resolve) => {
        finish = () => resolve({ page: plainPage("At last"), visibility: "asker" });
      });
    const first = lark.push(question()).then(
      () => "acknowledged",
      () => "refused",
    );
    await lark.clock.advanceAsync(2_499);
    const settled = await Promise.race([first, Promise.resolve("waiting")]);
    expect(settled).toBe("waiting");
    await lark.clock.advanceAsync(1);
    expect(await first).toBe("refused");
    finish();
    await lark.side.ended(1_000);
    expect(await lark.push(question())).toBeUndefined();
    expect(lark.commands).toHaveLength(1);
    expect(lark.sent).toHaveLength(1);
  });
});

describe("late commands", () => {
  async function asked(ms: number, page = plainPage("Done")): Promise<readonly string[]> {
    const late = question();
    lark.core.command = async () => ({ page, visibility: "asker" });
    lark.clock.advance(ms);
    await lark.push(late);
    await lark.side.ended(1_000);
    return lark.sent.map(({ page: { card } }) => JSON.stringify(card));
  }

  it.each([
    [5 * 60_000, 'lark.late.minutes@en{\\"n\\":5}'],
    [3_600_000, 'lark.late.hours@en{\\"n\\":1}'],
    [6 * 3_600_000 + 60_000, 'lark.late.hours@en{\\"n\\":6}'],
  ])("pushed again after %i ms are answered with their age", async (ms, words) => {
    const [shown = ""] = await asked(ms);
    expect(shown).toContain(words);
    expect(shown).toContain("Done");
    expect(lark.commands).toHaveLength(1);
  });

  it("pushed again after 15 seconds are answered as if in time", async () => {
    const [shown = ""] = await asked(15_000);
    expect(shown).not.toContain("lark.late");
  });

  it("say their age also where the core has posted its answer itself", async () => {
    const late = question();
    lark.core.command = async () => ({ page: null, visibility: "asker" });
    lark.clock.advance(3_600_000);
    await lark.push(late);
    await lark.side.ended(1_000);
    expect(lark.sent).toMatchObject([{ key: "late/om_1", target: { onlyFor: asker } }]);
  });

  it("whose answer is long have it as several messages, with the age on the first", async () => {
    const blocks = Array.from(
      { length: 40 },
      (_, n) => ({ kind: "code", text: `part ${n} ${"x".repeat(1_500)}` }) as const,
    );
    const shown = await asked(3_600_000, plainPage("Done", { blocks }));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.map((page) => page.includes("lark.late"))).toEqual(shown.map((_, index) => index === 0));
    for (let n = 0; n < 40; n++) expect(shown.join("")).toContain(`part ${n} `);
    expect(new Set(lark.sent.map(({ key }) => key)).size).toBe(shown.length);
  });

  it("of yesterday are dropped: what was done about them is forgotten", async () => {
    await asked(24 * 3_600_000);
    expect(lark.commands).toEqual([]);
    expect(lark.logged).toContain("lark.command_too_old");
  });
});

describe("an answer whose text grows as it is escaped", () => {
  it("takes as many pages as the platform asks for", async () => {
    const blocks = Array.from(
      { length: 18 },
      (_, n) => ({ kind: "text", children: [{ kind: "text", text: `part ${n} ${"*".repeat(400)}` }] }) as const,
    );
    lark.core.command = async () => ({ page: plainPage("Marks", { blocks }), visibility: "asker" });
    await lark.push(question());
    await lark.side.ended(1_000);
    expect(() => renderCard(plainPage("Marks", { blocks }))).toThrow(/bytes/);
    expect(lark.sent.length).toBeGreaterThan(1);
    const shown = lark.sent.map(({ page }) => JSON.stringify(renderCard(page)));
    for (let n = 0; n < 18; n++) expect(shown.join("")).toContain(`part ${n} `);
  });
});

describe("an answer that does not get through", () => {
  it.each(["not_sent", "uncertain", "rate_limited"] as const)("is sent again with the same key: %s", async (fault) => {
    let tries = 0;
    lark.core.command = async () => ({ page: plainPage("Hi"), visibility: "asker" });
    lark.core.send = async () => {
      tries += 1;
      if (tries < 3) throw new ChannelError(fault, "no", { retryAfterMs: 700 });
    };
    await lark.push(question());
    await lark.clock.advanceAsync(1_400);
    expect(tries).toBe(3);
    expect(lark.sent).toHaveLength(1);
  });

  it("is given up when it never will, and says so in the log", async () => {
    lark.core.command = async () => ({ page: plainPage("Hi"), visibility: "asker" });
    lark.core.send = () => Promise.reject(new ChannelError("forbidden", "no"));
    await lark.push(question());
    await lark.side.ended(1_000);
    expect(lark.logged).toContain("lark.reply_failed");
    expect(lark.clock.pending()).toBe(0);
  });
});

describe("menu entries", () => {
  it("are commands in the chat where the person last wrote to the bot", async () => {
    await lark.push(question({ chat: "oc_direct", chatType: "p2p" }));
    await lark.side.ended(1_000);
    await lark.push(menuEvent("repos", { eventId: "ev_menu", at: lark.clock.now() }));
    expect(lark.commands[1]).toMatchObject({
      text: "repos",
      eventId: "ev_menu",
      conversation: { conversation: "oc_direct" },
      person: { person: "ou_asker", name: "Ann" },
    });
  });

  it("of somebody who never wrote go to the person", async () => {
    await lark.push(menuEvent("repos", { at: lark.clock.now() }));
    expect(lark.commands[0]?.conversation.conversation).toBe("ou_asker");
  });

  it("come once", async () => {
    const entry = menuEvent("repos", { eventId: "ev_1", at: lark.clock.now() });
    await lark.push(entry);
    await lark.push(entry);
    expect(lark.commands).toHaveLength(1);
  });

  it("that are not configured do nothing", async () => {
    await lark.push(menuEvent("weather"));
    expect(lark.commands).toEqual([]);
    expect(lark.logged).toContain("lark.menu_unknown");
  });
});

describe("what happens to chats", () => {
  it("is told to the core once", async () => {
    const added = chatEvent("im.chat.member.bot.added_v1", { name: "Games", at: lark.clock.now() });
    await lark.push(added);
    await lark.push(added);
    await lark.push(chatEvent("im.chat.disbanded_v1", { at: lark.clock.now() }));
    expect(lark.lifecycles).toEqual([
      { kind: "joined", name: "Games", conversation },
      { kind: "archived", conversation },
    ]);
  });
});
