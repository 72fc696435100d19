// What this process has sent, by target and key: a repetition gives the same message, also where Discord itself cannot tell.
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import type { Clock } from "../../src/ports/clock.ts";

export interface SentMessages {
  ref(target: Target, key: string): MessageRef | null;
  keep(target: Target, key: string, ref: MessageRef): void;
  /** A private message whose answer was lost: nobody can look for it. */
  doubt(target: Target, key: string): void;
  isDoubtful(target: Target, key: string): boolean;
  /** ms since the epoch: what was sent before it, another process sent. */
  readonly since: number;
}

const MOST = 5_000;

export function createSentMessages(clock: Clock): SentMessages {
  const refs = new Map<string, MessageRef>();
  const doubtful = new Set<string>();
  return {
    since: clock.now(),
    ref: (target, key) => refs.get(nameOf(target, key)) ?? null,
    keep(target, key, ref) {
      const name = nameOf(target, key);
      doubtful.delete(name);
      refs.set(name, ref);
      if (refs.size > MOST) refs.delete([...refs.keys()][0] ?? "");
    },
    doubt(target, key) {
      doubtful.add(nameOf(target, key));
      if (doubtful.size > MOST) doubtful.delete([...doubtful][0] ?? "");
    },
    isDoubtful: (target, key) => doubtful.has(nameOf(target, key)),
  };
}

function nameOf({ conversation, thread, onlyFor }: Target, key: string): string {
  return JSON.stringify([
    conversation.workspace,
    conversation.conversation,
    thread ?? null,
    onlyFor?.person ?? null,
    key,
  ]);
}
