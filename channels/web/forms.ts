// Forms of the web chat: what the core asks while a button is handled goes back in the answer to that very press.
import { ChannelError, type ChannelForm } from "../../src/ports/channel.ts";

export interface Forms {
  /** Runs what handles a press, and gives the form that was asked for meanwhile, if any. */
  during(eventId: string, handle: () => Promise<void>): Promise<ChannelForm | undefined>;
  /** Throws ChannelError `rejected` once the press has its answer. */
  ask(eventId: string, form: ChannelForm): void;
}

export function createForms(): Forms {
  const pressed = new Map<string, ChannelForm | undefined>();
  return {
    async during(eventId, handle) {
      pressed.set(eventId, undefined);
      try {
        await handle();
        return pressed.get(eventId);
      } finally {
        pressed.delete(eventId);
      }
    },
    ask(eventId, form) {
      if (!pressed.has(eventId)) throw new ChannelError("rejected", "The button that asks has its answer already.");
      pressed.set(eventId, form);
    },
  };
}
