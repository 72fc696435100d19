// Clicks: a toast in time whatever happens, the core's work after it, once; and forms for the person who was asked alone.
import { beforeEach, describe, expect, it } from "vitest";
import { writeButtonValue } from "../../../../channels/lark/card/button-value.ts";
import { clickEvent } from "../../../fakes/lark/events.ts";
import { echoTexts, type HearingFixture, makeHearing } from "./hearing-side.ts";

let lark: HearingFixture;

beforeEach(() => {
  lark = makeHearing();
});

const value = writeButtonValue({ token: "v1:abc" });

function press(changes: Partial<Parameters<typeof clickEvent>[0]> = {}) {
  return clickEvent({ value, message: "om_card", eventId: "ev_1", ...changes });
}

function toastOf(answer: unknown): { type: string; content: string; i18n: Record<string, string> } {
  return (answer as { toast: { type: string; content: string; i18n: Record<string, string> } }).toast;
}

describe("a click", () => {
  it("is answered with a toast in every language, before the core is asked", async () => {
    const answer = await lark.push(press());
    expect(toastOf(answer)).toEqual({
      type: "info",
      content: "lark.toast.received@en",
      i18n: {
        en_us: "lark.toast.received@en",
        zh_cn: "lark.toast.received@zh-CN",
        vi_vn: "lark.toast.received@vi",
      },
    });
    expect(lark.actions).toEqual([]);
    await lark.clock.advanceAsync(50);
    expect(lark.actions).toMatchObject([{ token: "v1:abc", eventId: "ev_1", message: { message: "om_card" } }]);
  });

  it("is answered in time however long the core takes", async () => {
    lark.core.action = () => new Promise(() => undefined);
    const answer = await lark.push(press());
    expect(toastOf(answer).type).toBe("info");
    await lark.clock.advanceAsync(10_000);
    expect(lark.actions).toHaveLength(1);
  });

  it("that comes twice is one action, also after a restart", async () => {
    await lark.push(press());
    const again = await lark.push(press());
    expect(toastOf(again).content).toBe("lark.toast.received@en");
    await lark.clock.advanceAsync(50);
    const restarted = lark.restart();
    await restarted.push(press());
    await lark.clock.advanceAsync(50);
    expect([lark.actions.length, restarted.actions.length]).toEqual([1, 0]);
  });

  it("tells who pressed, where the platform tells names", async () => {
    lark.names.set("ou_asker", "Ann");
    await lark.push(press());
    await lark.clock.advanceAsync(50);
    expect(lark.actions[0]?.person).toMatchObject({ person: "ou_asker", name: "Ann" });
  });

  it("by two people is two actions", async () => {
    await lark.push(press());
    await lark.push(press({ eventId: "ev_2", person: "ou_other" }));
    await lark.clock.advanceAsync(50);
    expect(lark.actions.map(({ person }) => person.person)).toEqual(["ou_asker", "ou_other"]);
  });

  it("is said not to have arrived when it cannot be claimed", async () => {
    lark = makeHearing({ store: { ...lark.store, claimEvent: () => Promise.reject(new Error("the disk is full")) } });
    const answer = await lark.push(press());
    expect(toastOf(answer)).toMatchObject({ type: "error", content: "lark.toast.not_taken@en" });
    expect(lark.actions).toEqual([]);
  });

  it("is answered with an empty object, in time, when even the store hangs", async () => {
    lark = makeHearing({ store: { ...lark.store, claimEvent: () => new Promise(() => undefined) } });
    const answer = lark.push(press());
    await lark.clock.advanceAsync(2_500);
    expect(await answer).toEqual({});
    expect(lark.logged).toContain("lark.click_late");
  });

  it("is answered with an empty object, in time, when the texts are slow", async () => {
    lark = makeHearing({ texts: () => new Promise(() => undefined) });
    const answer = lark.push(press());
    await lark.clock.advanceAsync(2_500);
    expect(await answer).toEqual({});
  });

  it.each([
    ["a button of another bot", { hello: "you" }],
    ["a text", "v1:abc"],
    ["nothing", undefined],
  ])("on %s gets a kind word", async (_, foreign) => {
    const answer = await lark.push(press({ value: foreign }));
    expect(toastOf(answer)).toMatchObject({ type: "warning", content: "lark.toast.unknown@en" });
  });

  it("whose action fails is logged, and may be pressed again", async () => {
    lark.core.action = () => Promise.reject(new Error("no"));
    await lark.push(press());
    await lark.clock.advanceAsync(50);
    expect(lark.logged).toContain("lark.action_failed");
    lark.core.action = async () => undefined;
    await lark.push(press({ eventId: "ev_2" }));
    await lark.clock.advanceAsync(50);
    expect(lark.actions).toHaveLength(2);
  });

  it("never throws, also when the texts are broken", async () => {
    const broken = {
      ...echoTexts,
      text: () => {
        throw new Error("no such key");
      },
    };
    lark = makeHearing({ texts: async () => broken });
    expect(await lark.push(press())).toEqual({});
  });
});

describe("a form", () => {
  const asked = { ...writeButtonValue({ token: "v1:abc", chat: "oc_main", message: "om_card" }), asker: "ou_asker" };
  const sent = { value: asked, message: "om_form", chat: "oc_direct", formValue: { reason: "known" } };

  it("brings its answers as an action on the card it was asked for, and is taken away", async () => {
    await lark.push(press(sent));
    await lark.clock.advanceAsync(50);
    expect(lark.actions).toMatchObject([
      { values: { reason: "known" }, message: { message: "om_card", conversation: "oc_main" } },
    ]);
    expect(lark.removed).toMatchObject([{ message: "om_form" }]);
  });

  it("stays when the action failed", async () => {
    lark.core.action = () => Promise.reject(new Error("no"));
    await lark.push(press(sent));
    await lark.clock.advanceAsync(50);
    expect(lark.removed).toEqual([]);
  });

  it("of somebody else is not taken", async () => {
    const answer = await lark.push(press({ ...sent, person: "ou_other" }));
    expect(toastOf(answer).content).toBe("lark.toast.not_yours@en");
    await lark.clock.advanceAsync(50);
    expect(lark.actions).toEqual([]);
  });
});
