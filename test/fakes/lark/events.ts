// Events and callbacks as the platform sends them, header and all.

export const tenantKey = "tk00000000000001";
export const botOpenId = "ou_bot0000000000000000000000000000001";
export const appId = "cli_0123456789abcdef";
export const verificationToken = "verification-token-of-the-app";

export type NativeBody = {
  readonly schema: "2.0";
  readonly header: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
};

export interface EventFacts {
  readonly eventId?: string;
  /** ms since the epoch. */
  readonly at?: number;
  readonly tenant?: string;
}

let counted = 0;

function body(type: string, event: Readonly<Record<string, unknown>>, facts: EventFacts): NativeBody {
  counted += 1;
  return {
    schema: "2.0",
    header: {
      event_id: facts.eventId ?? `ev_${String(counted).padStart(8, "0")}`,
      event_type: type,
      create_time: String(facts.at ?? Date.UTC(2024, 0, 1)),
      token: verificationToken,
      app_id: appId,
      tenant_key: facts.tenant ?? tenantKey,
    },
    event,
  };
}

export interface MentionFacts {
  readonly key: string;
  readonly openId: string;
  readonly name?: string;
}

export interface MessageFacts extends EventFacts {
  readonly messageId: string;
  readonly person?: string;
  readonly senderType?: string;
  readonly chat?: string;
  readonly chatType?: "p2p" | "group";
  readonly rootId?: string;
  readonly threadId?: string;
  readonly mentions?: readonly MentionFacts[];
  /** Text of a text message; or `type` and `content` for any other. */
  readonly text?: string;
  readonly type?: string;
  readonly content?: unknown;
}

export function messageEvent(facts: MessageFacts): NativeBody {
  const { person = "ou_asker", chat = "oc_main", chatType = "group", at = Date.UTC(2024, 0, 1) } = facts;
  return body(
    "im.message.receive_v1",
    {
      sender: {
        sender_id: { open_id: person, union_id: `on_${person}`, user_id: null },
        sender_type: facts.senderType ?? "user",
        tenant_key: facts.tenant ?? tenantKey,
      },
      message: {
        message_id: facts.messageId,
        ...(facts.rootId === undefined ? {} : { root_id: facts.rootId, parent_id: facts.rootId }),
        ...(facts.threadId === undefined ? {} : { thread_id: facts.threadId }),
        create_time: String(at),
        update_time: String(at),
        chat_id: chat,
        chat_type: chatType,
        message_type: facts.type ?? "text",
        content: JSON.stringify(facts.content ?? { text: facts.text ?? "" }),
        ...(facts.mentions === undefined ? {} : { mentions: facts.mentions.map(nativeMention) }),
      },
    },
    facts,
  );
}

function nativeMention({ key, openId, name = "" }: MentionFacts): Readonly<Record<string, unknown>> {
  const id = { open_id: openId, union_id: `on_${openId}`, user_id: null };
  return { key, id, name, tenant_key: tenantKey, mentioned_type: openId === botOpenId ? "bot" : "user" };
}

export interface ClickFacts extends EventFacts {
  readonly value: unknown;
  readonly message: string;
  readonly person?: string;
  readonly chat?: string;
  readonly formValue?: Readonly<Record<string, unknown>>;
}

export function clickEvent(facts: ClickFacts): NativeBody {
  const { person = "ou_asker", chat = "oc_main" } = facts;
  return body(
    "card.action.trigger",
    {
      operator: { tenant_key: facts.tenant ?? tenantKey, open_id: person, union_id: `on_${person}`, user_id: null },
      token: "c-delayed-update-token",
      action: {
        value: facts.value,
        tag: "button",
        ...(facts.formValue === undefined ? {} : { form_value: facts.formValue, name: "submit" }),
      },
      host: "im_message",
      delivery_type: "url_preview",
      context: { open_message_id: facts.message, open_chat_id: chat },
    },
    facts,
  );
}

export function menuEvent(key: string, facts: EventFacts & { readonly person?: string } = {}): NativeBody {
  const { person = "ou_asker" } = facts;
  return body(
    "application.bot.menu_v6",
    {
      operator: { operator_name: "Ann", operator_id: { open_id: person, union_id: `on_${person}`, user_id: null } },
      event_key: key,
      timestamp: Math.floor((facts.at ?? Date.UTC(2024, 0, 1)) / 1_000),
    },
    facts,
  );
}

export function chatEvent(
  type: string,
  facts: EventFacts & { readonly chat?: string; readonly name?: string; readonly newName?: string } = {},
): NativeBody {
  const { chat = "oc_main", name, newName } = facts;
  const after = newName === undefined ? {} : { before_change: { name: name ?? "" }, after_change: { name: newName } };
  const operator = { open_id: "ou_owner", union_id: "on_owner", user_id: null };
  return body(
    type,
    { chat_id: chat, operator_id: operator, external: false, ...(name ? { name } : {}), ...after },
    facts,
  );
}

/** As the SDK's dispatcher hands an event to its handler. */
export function flat({ schema, header, event }: NativeBody): Readonly<Record<string, unknown>> {
  return { schema, ...header, ...event };
}
