// A strict channel that keeps what it is given: idempotent by key, refuses replies to what is not there, and fails on demand.
import type { Attachment, CardLimits, Page } from "../../src/core/card.ts";
import type { ConversationRef, MessageRef, Target } from "../../src/core/delivery.ts";
import { type Channel, type ChannelCapabilities, ChannelError, type ChannelFault } from "../../src/ports/channel.ts";

export interface KeptMessage {
  readonly ref: MessageRef;
  readonly key: string;
  readonly onlyFor?: string;
  content: Page | Attachment;
  edits: number;
}

/** `before`: the request never arrives; `after`: it is done, but the answer is lost. */
export interface PlannedFault {
  readonly fault: ChannelFault;
  readonly when: "before" | "after";
  readonly retryAfterMs?: number;
}

export interface FakeChannel extends Channel {
  readonly kept: KeptMessage[];
  /** Faults for the next calls of `send`, `edit` and `attach`, in order; null lets a call pass. */
  readonly faults: (PlannedFault | null)[];
  /** What the platform answers to the next sends, in order, before it takes any: an HTTP status is not the whole answer. */
  readonly answers: { readonly status: number; readonly body: { readonly code: number; readonly msg: string } }[];
  /** Forgets a message, as if somebody deleted it. */
  lose(message: string): void;
}

export function createFakeChannel(
  name: string,
  overrides: { capabilities?: Partial<ChannelCapabilities>; limits?: CardLimits } = {},
): FakeChannel {
  const kept: KeptMessage[] = [];
  const faults: (PlannedFault | null)[] = [];
  const answers: FakeChannel["answers"] = [];
  let made = 0;

  const fail = (when: PlannedFault["when"], planned: PlannedFault | null): void => {
    if (planned === null || planned.when !== when) return;
    const options = planned.retryAfterMs === undefined ? {} : { retryAfterMs: planned.retryAfterMs };
    throw new ChannelError(planned.fault, `planned: ${planned.fault}`, options);
  };
  const find = (ref: MessageRef): KeptMessage => {
    const message = kept.find((one) => one.ref.message === ref.message);
    if (message === undefined) throw new ChannelError("gone", `no message ${ref.message}`);
    return message;
  };
  const post = (target: Target, content: Page | Attachment, key: string): MessageRef => {
    const planned = faults.shift() ?? null;
    fail("before", planned);
    const answer = answers.shift();
    // As Lark's: success is a code of 0, whatever the status.
    if (answer !== undefined && (answer.status !== 200 || answer.body.code !== 0)) {
      throw new ChannelError("not_sent", `${answer.body.code} ${answer.body.msg}`);
    }
    const known = kept.find((one) => one.key === key);
    if (known !== undefined) throw new Error(`the key ${key} was sent twice`);
    if (target.thread !== undefined && !kept.some((one) => one.ref.message === target.thread)) {
      throw new ChannelError("gone", `no thread ${target.thread}`);
    }
    const ref: MessageRef = {
      ...target.conversation,
      ...(target.thread === undefined ? {} : { thread: target.thread }),
      message: `m${++made}`,
    };
    const onlyFor = target.onlyFor === undefined ? {} : { onlyFor: target.onlyFor.person };
    kept.push({ ref, key, content, edits: 0, ...onlyFor });
    fail("after", planned);
    return ref;
  };

  return {
    name,
    kept,
    faults,
    answers,
    capabilities: {
      thread: "native",
      edit: true,
      ephemeral: true,
      reactions: false,
      files: true,
      forms: false,
      find: true,
      limits: overrides.limits ?? {},
      ...overrides.capabilities,
    },
    routes: [],
    start: async () => {},
    stop: async () => {},
    health: () => ({ state: "up" }),
    webhook: async () => new Response(null, { status: 404 }),
    send: async (target, page, key) => post(target, page, key),
    attach: async (target, file, key) => post(target, file, key),
    edit: async (ref, page) => {
      const planned = faults.shift() ?? null;
      fail("before", planned);
      const message = find(ref);
      message.content = page;
      message.edits++;
      fail("after", planned);
    },
    remove: async (ref) => void kept.splice(kept.indexOf(find(ref)), 1),
    react: async () => {},
    permalink: async (ref) => `https://chat.example/${ref.message}`,
    ask: async () => {},
    find: async (_target, key, _since) => kept.find((one) => one.key === key)?.ref ?? "absent",
    lose: (message) =>
      void kept.splice(
        kept.findIndex((one) => one.ref.message === message),
        1,
      ),
  };
}

export const fakeConversation: ConversationRef = { channel: "fake", workspace: "w", conversation: "c" };
