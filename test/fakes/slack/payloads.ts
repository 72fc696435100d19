// What Slack sends for what people do: the bodies of commands, events, presses, shortcuts and submissions, as Slack documents them.

export interface Surroundings {
  readonly team: string;
  readonly enterprise?: string;
  readonly botUserId: string;
  /** Fresh, three seconds. */
  trigger(user: string): string;
  responseUrl(conversation: string, user: string, message?: string): string;
  nextId(prefix: string): string;
  /** s since the epoch. */
  now(): number;
}

export interface Press {
  readonly user: string;
  readonly conversation: string;
  readonly message: string;
  readonly thread?: string;
  readonly actionId: string;
  readonly value?: string;
  readonly isEphemeral?: boolean;
}

export interface Shown {
  readonly id: string;
  readonly hash: string;
  readonly view: Readonly<Record<string, unknown>>;
}

export type Body = Readonly<Record<string, unknown>>;

export function createPayloads(around: Surroundings) {
  const { team, botUserId } = around;
  const domain = { id: team, domain: "example" };
  const userOf = (id: string) => ({ id, username: id.toLowerCase(), name: id.toLowerCase(), team_id: team });
  const common = {
    api_app_id: "A0001",
    token: "legacy-verification-token",
    is_enterprise_install: false,
    enterprise: null,
  };

  return {
    slash(command: string, text: string, user: string, conversation: string, name = "reviews"): Body {
      return {
        token: "legacy-verification-token",
        team_id: team,
        team_domain: "example",
        channel_id: conversation,
        channel_name: name,
        user_id: user,
        user_name: user.toLowerCase(),
        command,
        text,
        api_app_id: "A0001",
        is_enterprise_install: "false",
        response_url: around.responseUrl(conversation, user),
        trigger_id: around.trigger(user),
      };
    },
    event(event: Body, eventId = around.nextId("Ev")): Body {
      return {
        token: "legacy-verification-token",
        team_id: team,
        api_app_id: "A0001",
        event,
        type: "event_callback",
        event_id: eventId,
        event_time: around.now(),
        authorizations: [
          { enterprise_id: null, team_id: team, user_id: botUserId, is_bot: true, is_enterprise_install: false },
        ],
        is_ext_shared_channel: false,
      };
    },
    press({ user, conversation, message, thread, actionId, value, isEphemeral = false }: Press): Body {
      const place = { channel_id: conversation, message_ts: message, is_ephemeral: isEphemeral };
      return {
        type: "block_actions",
        ...common,
        team: domain,
        user: userOf(user),
        container: { type: "message", ...place, ...(thread === undefined ? {} : { thread_ts: thread }) },
        trigger_id: around.trigger(user),
        channel: { id: conversation, name: "reviews" },
        response_url: around.responseUrl(conversation, user, message),
        actions: [
          {
            type: "button",
            action_id: actionId,
            block_id: "b",
            action_ts: "1.1",
            text: { type: "plain_text", text: "x" },
            ...(value === undefined ? {} : { value }),
          },
        ],
      };
    },
    /** A button or select of a modal or of the Home tab. */
    pressInView(user: string, { id, hash, view }: Shown, action: Body): Body {
      return {
        type: "block_actions",
        ...common,
        team: domain,
        user: userOf(user),
        container: { type: "view", view_id: id },
        trigger_id: around.trigger(user),
        view: { ...view, id, hash, team_id: team, app_id: "A0001", state: { values: {} } },
        actions: [{ block_id: "b", action_ts: "1.1", ...action }],
      };
    },
    shortcut(
      user: string,
      conversation: string,
      message: { readonly ts: string; readonly text: string; readonly thread_ts?: string },
    ): Body {
      return {
        type: "message_action",
        ...common,
        team: domain,
        user: userOf(user),
        callback_id: "review_message",
        trigger_id: around.trigger(user),
        response_url: around.responseUrl(conversation, user),
        action_ts: "1.1",
        message_ts: message.ts,
        channel: { id: conversation, name: "reviews" },
        message: { type: "message", user: "U0002", ...message },
      };
    },
    submission(user: string, { id, hash, view }: Shown, values: Readonly<Record<string, Body>>): Body {
      const state = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { [name]: value }]));
      return {
        type: "view_submission",
        ...common,
        team: domain,
        user: userOf(user),
        trigger_id: around.trigger(user),
        view: { ...view, id, hash, team_id: team, app_id: "A0001", state: { values: state } },
        response_urls: [],
      };
    },
  };
}

export type Payloads = ReturnType<typeof createPayloads>;
