// A pressed button gets one answer: a form that is asked for in time, else "nothing to be seen", and always within the time there is.
import { describe, expect, it } from "vitest";
import type { Acknowledged, FirstAnswer } from "../../../../channels/discord/client.ts";
import { createPresses, FORM_MS } from "../../../../channels/discord/presses.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const conversation = { channel: "discord", workspace: "1", conversation: "2" };
const person = { channel: "discord", workspace: "1", person: "5" };
const form = { title: "Why?", token: "v1:t", fields: [] };

function rig(taken: Acknowledged = "done") {
  const clock = createFakeClock();
  const answers: FirstAnswer[] = [];
  const presses = createPresses(clock);
  const answer = async (given: FirstAnswer): Promise<Acknowledged> => {
    answers.push(given);
    return taken;
  };
  return { clock, answers, presses, press: { eventId: "e1", conversation, person, answer } };
}

describe("a press", () => {
  it("whose action asks for a form is answered with the form alone", async () => {
    const { presses, press, answers, clock } = rig();
    await presses.during(press, () => presses.ask("e1", form));
    expect(answers).toEqual([{ kind: "form", form }]);
    expect(clock.pending()).toBe(0);
  });

  it("whose action asks for nothing is answered when the action has ended", async () => {
    const { presses, press, answers } = rig();
    await presses.during(press, async () => expect(answers).toEqual([]));
    expect(answers).toEqual([{ kind: "defer_update" }]);
  });

  it("whose action takes long is answered before Discord gives up, and asks for nothing any more", async () => {
    const { presses, press, answers, clock } = rig();
    let go = (): void => {};
    let refused: unknown;
    const acting = presses.during(press, async () => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      refused = await presses.ask("e1", form).catch((thrown: unknown) => thrown);
    });
    await clock.advanceAsync(FORM_MS);
    expect(answers).toEqual([{ kind: "defer_update" }]);
    go();
    await acting;
    expect(refused).toBeInstanceOf(ChannelError);
    expect(answers).toHaveLength(1);
  });

  it("is answered before its person is told something alone, so that there is a way to tell it", async () => {
    const { presses, press, answers } = rig();
    await presses.during(press, async () => {
      await presses.beforePrivate(conversation, { ...person, person: "6" });
      await presses.beforePrivate({ ...conversation, conversation: "3" }, person);
      expect(answers).toEqual([]);
      await presses.beforePrivate(conversation, person);
      expect(answers).toEqual([{ kind: "defer_update" }]);
    });
    expect(answers).toHaveLength(1);
  });

  it("whose form Discord did not take says so to whoever asked", async () => {
    for (const taken of ["too_late", "already"] as const) {
      const { presses, press } = rig(taken);
      await presses.during(press, async () => {
        await expect(presses.ask("e1", form)).rejects.toMatchObject({ fault: "rejected" });
      });
    }
  });

  it("in a direct message has a form that knows where its card belongs", async () => {
    const { presses, press, answers } = rig();
    const origin = { guild: "1", channel: "2" };
    await presses.during({ ...press, origin }, () => presses.ask("e1", form));
    expect(answers).toEqual([{ kind: "form", form, origin }]);
  });

  it("that fails is answered all the same", async () => {
    const { presses, press, answers } = rig();
    await expect(presses.during(press, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(answers).toEqual([{ kind: "defer_update" }]);
    await expect(presses.ask("e1", form)).rejects.toMatchObject({ fault: "rejected" });
  });
});
