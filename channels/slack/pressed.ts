// Buttons of cards and the forms that some of them open.
import type { ChannelForm, InboundAction, Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { actionPrefix } from "./blocks/buttons.ts";
import type { SlackClient } from "./client-types.ts";
import type { PressedButton, SubmittedView } from "./inbound.ts";
import { answeredFormIn, type FormState, formButtonValue, formModal, formOfButton } from "./modals.ts";
import type { Once } from "./once.ts";
import type { LookUpPerson } from "./people.ts";
import type { Reply } from "./reply.ts";
import { inboundFrom, messageOf } from "./spoken.ts";
import { isTooLate } from "./web-calls.ts";
import type { Words } from "./words.ts";

export interface PressedPorts {
  readonly client: Pick<SlackClient, "openView" | "postEphemeral">;
  readonly once: Once;
  readonly lookUp: LookUpPerson;
  readonly reply: Reply;
  readonly words: Words;
  readonly logger: Logger;
}

export interface Pressed {
  /** A button of a card. Never throws: the person is told when it failed. */
  press(given: PressedButton, inbox: Inbox): Promise<void>;
  /** The button that opens a form whose moment had passed. */
  openAgain(given: PressedButton): Promise<void>;
  /** A form that was sent. */
  submit(given: SubmittedView, inbox: Inbox): Promise<void>;
  /** Opens a form for whoever pressed; throws ChannelError when neither it nor a button for it can be shown. */
  ask(trigger: InboundAction, form: ChannelForm): Promise<void>;
}

/** People whose language is remembered between a press and its form. */
const MAX_LOCALES = 1_000;

export function createPressed(ports: PressedPorts): Pressed {
  const { client, once, lookUp, reply, words, logger } = ports;
  const locales = new Map<string, string | undefined>();

  function remember(eventId: string, locale: string | undefined): void {
    locales.set(eventId, locale);
    const [oldest] = locales.keys();
    if (locales.size > MAX_LOCALES && oldest !== undefined) locales.delete(oldest);
  }

  async function open(
    workspace: string,
    triggerId: string,
    state: FormState,
    locale: string | undefined,
  ): Promise<void> {
    const [submit, cancel] = await Promise.all([words.say("slack.send", locale), words.say("slack.cancel", locale)]);
    await client.openView(workspace, triggerId, formModal(state, { submit, cancel }));
  }

  return {
    async press(given, inbox) {
      const { conversation, person, message, value, triggerId, key, responseUrl } = given;
      // A link's button merely opens; what is not a token of ours is nobody's.
      if (!given.actionId.startsWith(actionPrefix) || message === undefined || !value.startsWith("v1:")) return;
      try {
        await once(key, async () => {
          const facts = await lookUp(person, conversation.workspace);
          remember(triggerId, facts.locale);
          const { locale: _, ...who } = inboundFrom(facts);
          await inbox.action({ ...who, conversation, eventId: triggerId, token: value, message, values: {} });
        });
      } catch (thrown) {
        logger.error("slack.press_failed", { conversation: conversation.conversation, error: messageOf(thrown) });
        const thread = message.thread === undefined ? {} : { thread: message.thread };
        const asked = { conversation, person, key, ...thread, ...(responseUrl === undefined ? {} : { responseUrl }) };
        await reply.tell(await words.page("slack.failed", locales.get(triggerId)), asked);
      }
    },

    async openAgain({ value, triggerId, conversation, person }) {
      const state = formOfButton(value);
      if (state === null) return;
      const { locale } = await lookUp(person, conversation.workspace);
      await open(conversation.workspace, triggerId, state, locale);
    },

    async submit(given, inbox) {
      const { person, workspace, view, values, key } = given;
      const answered = answeredFormIn(view.metadata);
      if (answered === null) return;
      const { token, message } = answered;
      const { thread: _thread, message: _message, ...conversation } = message;
      try {
        await once(key, async () => {
          const { locale: _, ...who } = inboundFrom(await lookUp(person, workspace));
          // A form that asks again is opened by this submission.
          await inbox.action({ ...who, conversation, eventId: given.triggerId || key, token, message, values });
        });
      } catch (thrown) {
        logger.error("slack.form_failed", { conversation: conversation.conversation, error: messageOf(thrown) });
        const thread = message.thread === undefined ? {} : { thread: message.thread };
        await reply.tell(await words.page("slack.failed", undefined), { conversation, person, key, ...thread });
      }
    },

    async ask({ conversation, eventId, message, person }, form) {
      const locale = locales.get(eventId);
      const state = { form, message };
      try {
        return await open(conversation.workspace, eventId, state, locale);
      } catch (thrown) {
        // Slack gives three seconds, its own delays included: then a button begins them anew.
        const value = formButtonValue(state);
        if (!isTooLate(thrown) || value === null) throw thrown;
        logger.info("slack.form_late", { conversation: conversation.conversation, error: messageOf(thrown) });
        const [page, label] = await Promise.all([
          words.page("slack.form_late", locale),
          words.say("slack.open", locale),
        ]);
        const button = { label, token: value, style: "primary" } as const;
        const card = { ...page.card, blocks: [...page.card.blocks, { kind: "actions", actions: [button] } as const] };
        const thread = message.thread === undefined ? {} : { thread: message.thread };
        await client.postEphemeral({ conversation, onlyFor: person, ...thread }, { card });
      }
    },
  };
}

/** Whether a press is of the button that opens a late form: its value is the form itself. */
export function isLateForm({ actionId, value }: PressedButton): boolean {
  return actionId.startsWith(actionPrefix) && value.startsWith('{"form"');
}
