// What was sent lately, by its key: Slack knows no idempotency, so the same key within one process gives the same message.
import type { ConversationRef, MessageRef } from "../../src/core/delivery.ts";

/** Far more than is on its way at any time; after a restart the core looks in Slack's history. */
const MAX_REMEMBERED = 2_000;

export interface SentMessage {
  readonly ref: MessageRef;
  /** Shown to one person, and never to be found or edited again. */
  readonly isEphemeral?: boolean;
}

export interface SentMessages {
  /** Sends under a key once; who asks again while it runs or after it, gets the same message. What failed is forgotten. */
  once(place: ConversationRef, key: string, send: () => Promise<SentMessage>): Promise<MessageRef>;
  find(place: ConversationRef, key: string): Promise<MessageRef | null>;
  isEphemeral(ref: MessageRef): boolean;
  forget(ref: MessageRef): void;
}

export function createSentMessages(): SentMessages {
  const byKey = new Map<string, Promise<SentMessage>>();
  const keys = new Map<string, { readonly key: string; readonly isEphemeral: boolean }>();

  function place({ workspace, conversation }: ConversationRef, key: string): string {
    return JSON.stringify([workspace, conversation, key]);
  }

  return {
    async once(target, key, send) {
      const name = place(target, key);
      const standing = byKey.get(name);
      if (standing !== undefined) return (await standing).ref;
      const sending = send();
      byKey.set(name, sending);
      try {
        const { ref, isEphemeral = false } = await sending;
        keys.set(place(ref, ref.message), { key: name, isEphemeral });
        trim();
        return ref;
      } catch (thrown) {
        byKey.delete(name);
        throw thrown;
      }
    },
    async find(target, key) {
      const standing = byKey.get(place(target, key));
      if (standing === undefined) return null;
      return standing.then(
        ({ ref }) => ref,
        () => null,
      );
    },
    isEphemeral: (ref) => keys.get(place(ref, ref.message))?.isEphemeral === true,
    forget(ref) {
      const name = place(ref, ref.message);
      const standing = keys.get(name);
      if (standing !== undefined) byKey.delete(standing.key);
      keys.delete(name);
    },
  };

  function trim(): void {
    for (const map of [byKey, keys]) {
      const [oldest] = map.keys();
      if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
    }
  }
}
