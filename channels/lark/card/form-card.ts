// A form as a card: its fields, and a button that sends them along with where the form was asked for.
import type { ChannelForm, InboundAction } from "../../../src/ports/channel.ts";
import { type ButtonValue, writeButtonValue } from "./button-value.ts";
import type { CardElement, LarkCard } from "./elements.ts";
import { plainText } from "./escape.ts";

/** What people may type into one field: the platform takes at most 1000. */
const MAX_INPUT = 500;
const MAX_TITLE = 200;

export interface FormFacts {
  readonly form: ChannelForm;
  /** The press that the form was asked for. */
  readonly trigger: InboundAction;
  /** Label of the button that sends it. */
  readonly submit: string;
  /** See button-value.ts. */
  readonly place: Omit<ButtonValue, "token">;
}

/**
 * The card that was pressed, its chat and thread and the person who was asked stand in the button's value: the platform
 * tells of the form's own card alone, which may stand in another chat.
 */
export function formCard({ form, trigger, submit, place }: FormFacts): LarkCard {
  const { conversation, person, message } = trigger;
  const value = {
    ...writeButtonValue({
      token: form.token,
      chat: conversation.conversation,
      message: message.message,
      ...(place.isEphemeral === true ? { isEphemeral: true } : {}),
    }),
    asker: person.person,
    ...(message.thread === undefined ? {} : { thread: message.thread }),
  };
  const title = plainText(form.title).slice(0, MAX_TITLE);
  const fields = form.fields.map(
    ({ name, label, multiline, required }, index): CardElement => ({
      tag: "input",
      element_id: `f${index + 1}`,
      name,
      required,
      input_type: multiline ? "multiline_text" : "text",
      label: { tag: "plain_text", content: plainText(label) },
      max_length: MAX_INPUT,
    }),
  );
  return {
    schema: "2.0",
    config: { update_multi: true, width_mode: "fill", summary: { content: title } },
    header: { title: { tag: "plain_text", content: title }, template: "blue" },
    body: {
      elements: [
        {
          tag: "form",
          element_id: "form",
          name: "form",
          elements: [
            ...fields,
            {
              tag: "button",
              element_id: "submit",
              name: "submit",
              type: "primary",
              text: { tag: "plain_text", content: plainText(submit) },
              form_action_type: "submit",
              behaviors: [{ type: "callback", value }],
            },
          ],
        },
      ],
    },
  };
}
