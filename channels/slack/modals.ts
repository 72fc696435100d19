// The modals: a form of the core, the choice of a repository, and a subscription in two steps; and what a sent one says.
import type { InputBlock, KnownBlock, ModalView, PlainTextElement } from "@slack/types";
import * as z from "zod";
import { clippedText } from "../../src/cards/cut-text.ts";
import type { MessageRef } from "../../src/core/delivery.ts";
import type { ChannelForm } from "../../src/ports/channel.ts";
import { channelName } from "./inbound.ts";

/** `callback_id` of each modal. */
export const modalIds = { form: "aicr_form", repository: "aicr_repository", subscribe: "aicr_subscribe" } as const;

/** `action_id` of the elements that this channel adds to its own messages and views. */
export const elementIds = {
  openSubscribe: "aicr_subscribe_open",
  repository: "repository",
  conversation: "conversation",
  filters: "filters",
} as const;

/** Slack's limits, UTF-16 units. */
const MAX_TITLE = 24;
const MAX_LABEL = 150;
const MAX_OPTIONS = 100;
const MAX_OPTION = 75;
const MAX_INPUT = 3_000;
const MAX_METADATA = 3_000;
const MAX_PLACEHOLDER = 150;

/** The words of a modal's own controls. */
export interface ModalWords {
  readonly title: string;
  readonly submit: string;
  readonly cancel: string;
}

const messageRef = z.strictObject({
  channel: z.literal(channelName),
  workspace: z.string(),
  conversation: z.string(),
  thread: z.string().optional(),
  message: z.string(),
});
const formFields = z.array(
  z.strictObject({ name: z.string(), label: z.string(), multiline: z.boolean(), required: z.boolean() }),
);

/** A form and the message it is about: what a modal carries, or the button that opens it. */
export interface FormState {
  readonly form: ChannelForm;
  readonly message: MessageRef;
}

const formState = z.strictObject({
  form: z.strictObject({ title: z.string(), token: z.string(), fields: formFields }),
  message: messageRef,
});
const answeredForm = z.strictObject({ token: z.string(), message: messageRef });

export function formModal({ form, message }: FormState, words: Omit<ModalWords, "title">): ModalView {
  const blocks = form.fields.map(
    ({ name, label, multiline, required }): InputBlock => ({
      type: "input",
      block_id: name,
      optional: !required,
      label: plain(label, MAX_LABEL),
      element: { type: "plain_text_input", action_id: name, multiline, max_length: MAX_INPUT },
    }),
  );
  return modal(modalIds.form, { ...words, title: form.title }, blocks, { token: form.token, message });
}

/** Null when the modal is none of ours any more. */
export function answeredFormIn(metadata: string): { readonly token: string; readonly message: MessageRef } | null {
  const parsed = answeredForm.safeParse(json(metadata));
  return parsed.success ? { token: parsed.data.token, message: asRef(parsed.data.message) } : null;
}

/** What the button carries that opens a form later; null when it is too long for one. */
export function formButtonValue({ form, message }: FormState): string | null {
  const value = JSON.stringify({ form, message });
  return value.length <= 2_000 ? value : null;
}

export function formOfButton(value: string): FormState | null {
  const parsed = formState.safeParse(json(value));
  return parsed.success ? { form: parsed.data.form, message: asRef(parsed.data.message) } : null;
}

/** The revisions of a message that wait for their repository. */
const waiting = z.strictObject({
  conversation: z.string(),
  thread: z.string(),
  specs: z.array(z.string().max(600)).max(10),
});
export type WaitingRevisions = z.output<typeof waiting>;

export function repositoryModal(
  revisions: WaitingRevisions,
  repositories: readonly string[],
  words: ModalWords & { readonly label: string; readonly text: string },
): ModalView {
  return modal(
    modalIds.repository,
    words,
    [{ type: "section", text: plain(words.text, 3_000) }, repositorySelect(repositories, words.label)],
    revisions,
  );
}

export function waitingRevisionsIn(metadata: string): WaitingRevisions | null {
  const parsed = waiting.safeParse(json(metadata));
  return parsed.success ? parsed.data : null;
}

export interface SubscribeWords extends ModalWords {
  readonly conversation: string;
  readonly repository: string;
  readonly filters: string;
  readonly filtersHint: string;
  /** What stands in place of repositories where none can be chosen. */
  readonly none: string;
}

const subscribing = z.strictObject({ conversation: z.string() });

/**
 * Which conversation, and once that is chosen, which of the repositories that may be seen there.
 * @param chosen absent in the first step, which needs nothing to be looked up.
 */
export function subscribeModal(
  words: SubscribeWords,
  chosen?: { readonly conversation: string; readonly repositories: readonly string[] },
): ModalView {
  // No input: a modal with inputs must have a button to send them, and in the first step there is nothing to send yet.
  const conversation: KnownBlock = {
    type: "section",
    block_id: elementIds.conversation,
    text: plain(words.conversation, MAX_LABEL),
    accessory: {
      type: "conversations_select",
      action_id: elementIds.conversation,
      filter: { include: ["public", "private", "im", "mpim"] },
      ...(chosen === undefined
        ? { default_to_current_conversation: true }
        : { initial_conversation: chosen.conversation }),
    },
  };
  if (chosen === undefined) return modal(modalIds.subscribe, { ...words, submit: undefined }, [conversation], {});
  if (chosen.repositories.length === 0) {
    const none: KnownBlock = { type: "section", text: plain(words.none, 3_000) };
    return modal(modalIds.subscribe, { ...words, submit: undefined }, [conversation, none], {});
  }
  const filters: InputBlock = {
    type: "input",
    block_id: elementIds.filters,
    optional: true,
    label: plain(words.filters, MAX_LABEL),
    element: {
      type: "plain_text_input",
      action_id: elementIds.filters,
      max_length: MAX_INPUT,
      placeholder: plain(words.filtersHint, MAX_PLACEHOLDER),
    },
  };
  const blocks = [conversation, repositorySelect(chosen.repositories, words.repository), filters];
  return modal(modalIds.subscribe, words, blocks, { conversation: chosen.conversation });
}

/** The conversation of the second step. */
export function subscribingIn(metadata: string): string | null {
  const parsed = subscribing.safeParse(json(metadata));
  return parsed.success ? parsed.data.conversation : null;
}

function repositorySelect(repositories: readonly string[], label: string): InputBlock {
  const options = repositories.slice(0, MAX_OPTIONS).map((name) => ({ text: plain(name, MAX_OPTION), value: name }));
  const [only, ...others] = options;
  return {
    type: "input",
    block_id: elementIds.repository,
    label: plain(label, MAX_LABEL),
    element: {
      type: "static_select",
      action_id: elementIds.repository,
      options,
      ...(only !== undefined && others.length === 0 ? { initial_option: only } : {}),
    },
  };
}

function modal(
  callbackId: string,
  words: Omit<ModalWords, "submit"> & { readonly submit: string | undefined },
  blocks: KnownBlock[],
  metadata: unknown,
): ModalView {
  const carried = JSON.stringify(metadata);
  if (carried.length > MAX_METADATA)
    throw new RangeError(`the modal ${callbackId} carries ${carried.length} characters`);
  return {
    type: "modal",
    callback_id: callbackId,
    title: plain(words.title, MAX_TITLE),
    close: plain(words.cancel, MAX_TITLE),
    ...(words.submit === undefined ? {} : { submit: plain(words.submit, MAX_TITLE) }),
    blocks,
    private_metadata: carried,
  };
}

function plain(text: string, limit: number): PlainTextElement {
  return { type: "plain_text", text: clippedText(text, limit), emoji: false };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asRef({ thread, ...ref }: z.output<typeof messageRef>): MessageRef {
  return thread === undefined ? ref : { ...ref, thread };
}
