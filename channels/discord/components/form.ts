// A form of the core as Discord's modal.
import { ChannelError, type ChannelForm } from "../../../src/ports/channel.ts";
import { MAX_FORM_TITLE } from "../capabilities.ts";
import { cleanText } from "../escape.ts";
import { type Origin, readCustomId, writeCustomId } from "../inbound.ts";
import { componentTypes } from "../wire.ts";
import { clipped } from "./plain.ts";

const SHORT = 1;
const PARAGRAPH = 2;
/** What the core keeps of an answer, UTF-16 units, with room for what people write beside it. */
const MAX_ANSWER = 1_000;
const MAX_FIELDS = 5;

/** Throws ChannelError `rejected` for a form that Discord cannot show. */
export function formData(form: ChannelForm, origin?: Origin): Readonly<Record<string, unknown>> {
  const known = readCustomId(form.token);
  if (known === null || form.fields.length === 0 || form.fields.length > MAX_FIELDS) {
    throw new ChannelError("rejected", "Discord cannot show this form.");
  }
  return {
    custom_id: writeCustomId(origin === undefined ? known : { token: known.token, origin }),
    title: clipped(line(form.title), MAX_FORM_TITLE),
    components: form.fields.map(({ name, label, multiline, required }) => ({
      type: componentTypes.label,
      label: clipped(line(label), MAX_FORM_TITLE),
      component: {
        type: componentTypes.textInput,
        custom_id: name,
        style: multiline ? PARAGRAPH : SHORT,
        required,
        max_length: MAX_ANSWER,
      },
    })),
  };
}

function line(text: string): string {
  const cleaned = cleanText(text).replaceAll("\n", " ").trim();
  return cleaned === "" ? "\u2026" : cleaned;
}
