// What a button carries: its token, and where its card belongs when the platform will tell another place than the one it was sent to.

/** `chat` and `message` stand in for the ids that the platform gives with a click. */
export interface ButtonValue {
  readonly token: string;
  /** The conversation that the card was meant for: it was sent to a person's direct chat instead. */
  readonly chat?: string;
  /** The id by which the core knows the card: it was sent again in place of an earlier one. */
  readonly message?: string;
  /** The card is visible to one person, and the core knows it by a marked id. */
  readonly isEphemeral?: boolean;
}

/** Marks the ids of cards that one person sees: they are updated and removed by other calls than messages. */
const EPHEMERAL = "ephemeral.";

export function ephemeralId(message: string): string {
  return `${EPHEMERAL}${message}`;
}

/** The platform's id of a card that one person sees; null when the id is of a message that all see. */
export function rawEphemeralId(id: string): string | null {
  return id.startsWith(EPHEMERAL) ? id.slice(EPHEMERAL.length) : null;
}

/** An object, because the platform takes no text as a button's value. */
export function writeButtonValue({ token, chat, message, isEphemeral = false }: ButtonValue): Record<string, string> {
  return {
    token,
    ...(chat === undefined ? {} : { chat }),
    ...(message === undefined ? {} : { message }),
    ...(isEphemeral ? { seen_by: "one" } : {}),
  };
}

/** Null when the value is none of ours. */
export function readButtonValue(value: unknown): ButtonValue | null {
  if (typeof value !== "object" || value === null) return null;
  const { token, chat, message, seen_by: seenBy } = value as Readonly<Record<string, unknown>>;
  if (typeof token !== "string") return null;
  return {
    token,
    ...(typeof chat === "string" ? { chat } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(seenBy === "one" ? { isEphemeral: true } : {}),
  };
}

/**
 * The conversation and message ids by which the core knows the card that was clicked.
 * @param clicked what the platform tells: `context.open_chat_id` and `context.open_message_id`.
 */
export function placeOfClick(
  { chat, message, isEphemeral = false }: ButtonValue,
  clicked: { readonly chat: string; readonly message: string },
): { readonly conversation: string; readonly message: string } {
  const own = isEphemeral ? ephemeralId(clicked.message) : clicked.message;
  return { conversation: chat ?? clicked.chat, message: message ?? own };
}
