// Pressed buttons that Discord waits for: the first answer is a form when the core asks for one in time, else "nothing to be seen".
import type { ConversationRef, PersonRef } from "../../src/core/delivery.ts";
import { ChannelError, type ChannelForm } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Acknowledged, FirstAnswer } from "./client.ts";
import type { Origin } from "./inbound.ts";

export interface Press {
  readonly eventId: string;
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  /** Where a card belongs whose button was pressed in a direct message; its form must know it too. */
  readonly origin?: Origin;
  /** Tells Discord; settles when it has the answer. Must not throw. */
  readonly answer: (answer: FirstAnswer) => Promise<Acknowledged>;
}

export interface Presses {
  /** Runs what the press does, and answers Discord in between: with a form that is asked for, else after it, at the latest after 2 s. */
  during(press: Press, act: () => Promise<void>): Promise<void>;
  /** Throws ChannelError `rejected` when the press has its answer already, or Discord did not take the form. */
  ask(eventId: string, form: ChannelForm): Promise<void>;
  /** To be awaited before something is said to a person alone: that needs an answered press to go through. */
  beforePrivate(conversation: ConversationRef, person: PersonRef): Promise<void>;
}

/** How long a form may be waited for, of Discord's three seconds, ms. */
export const FORM_MS = 2_000;

interface Pending {
  readonly press: Press;
  answered: Promise<Acknowledged> | null;
}

export function createPresses(clock: Pick<Clock, "after">): Presses {
  const pending = new Map<string, Pending>();

  function answer(one: Pending, given: FirstAnswer): Promise<Acknowledged> {
    one.answered ??= one.press.answer(given);
    return one.answered;
  }

  return {
    async during(press, act) {
      const one: Pending = { press, answered: null };
      pending.set(press.eventId, one);
      const cancel = clock.after(FORM_MS, () => void answer(one, { kind: "defer_update" }));
      try {
        await act();
      } finally {
        cancel();
        await answer(one, { kind: "defer_update" });
        pending.delete(press.eventId);
      }
    },
    async ask(eventId, form) {
      const one = pending.get(eventId);
      if (one === undefined || one.answered !== null) {
        throw new ChannelError("rejected", "The button that asks has its answer already.");
      }
      const { origin } = one.press;
      const taken = await answer(one, { kind: "form", form, ...(origin === undefined ? {} : { origin }) });
      if (taken !== "done") throw new ChannelError("rejected", `Discord did not show the form: ${taken}.`);
    },
    async beforePrivate(conversation, person) {
      for (const one of pending.values()) {
        const { conversation: place, person: who } = one.press;
        const isHere = place.workspace === conversation.workspace && place.conversation === conversation.conversation;
        if (isHere && who.person === person.person) await answer(one, { kind: "defer_update" });
      }
    },
  };
}
