// The arguments of each method of the fake, as Slack documents them: what is not known here is refused.

export type ArgumentKind = "string" | "boolean" | "integer" | "json";

export interface MethodShape {
  /** Names of the arguments; `!` at the end: required. */
  readonly given: Readonly<Record<string, ArgumentKind>>;
  /** The scope that the token needs; several: any of them, decided by the method. */
  readonly scope?: string;
  /** `none`: the call has no token of its own. */
  readonly token?: "bot" | "app" | "none";
}

const message = {
  text: "string",
  blocks: "json",
  attachments: "json",
  parse: "string",
  link_names: "boolean",
} as const;
const history = {
  "channel!": "string",
  cursor: "string",
  include_all_metadata: "boolean",
  inclusive: "boolean",
  latest: "string",
  limit: "integer",
  oldest: "string",
} as const;

export const methodShapes: Readonly<Record<string, MethodShape>> = {
  "auth.test": { given: {} },
  "chat.postMessage": {
    scope: "chat:write",
    given: {
      "channel!": "string",
      ...message,
      thread_ts: "string",
      reply_broadcast: "boolean",
      metadata: "json",
      mrkdwn: "boolean",
      unfurl_links: "boolean",
      unfurl_media: "boolean",
    },
  },
  "chat.postEphemeral": {
    scope: "chat:write",
    given: { "channel!": "string", "user!": "string", ...message, thread_ts: "string" },
  },
  "chat.update": {
    scope: "chat:write",
    given: { "channel!": "string", "ts!": "string", ...message, metadata: "json", reply_broadcast: "boolean" },
  },
  "chat.delete": { scope: "chat:write", given: { "channel!": "string", "ts!": "string" } },
  "chat.getPermalink": { given: { "channel!": "string", "message_ts!": "string" } },
  "conversations.history": { given: history },
  "conversations.replies": { given: { ...history, "ts!": "string" } },
  "conversations.info": {
    given: { "channel!": "string", include_locale: "boolean", include_num_members: "boolean" },
  },
  "conversations.open": { scope: "im:write", given: { "users!": "string", return_im: "boolean" } },
  "users.info": { scope: "users:read", given: { "user!": "string", include_locale: "boolean" } },
  "usergroups.list": {
    scope: "usergroups:read",
    given: { include_users: "boolean", include_count: "boolean", include_disabled: "boolean" },
  },
  "reactions.add": {
    scope: "reactions:write",
    given: { "channel!": "string", "timestamp!": "string", "name!": "string" },
  },
  "reactions.remove": {
    scope: "reactions:write",
    given: { "channel!": "string", "timestamp!": "string", "name!": "string" },
  },
  "views.open": { given: { trigger_id: "string", interactivity_pointer: "string", "view!": "json" } },
  "views.push": { given: { trigger_id: "string", interactivity_pointer: "string", "view!": "json" } },
  "views.update": { given: { view_id: "string", external_id: "string", hash: "string", "view!": "json" } },
  "views.publish": { given: { "user_id!": "string", hash: "string", "view!": "json" } },
  "files.getUploadURLExternal": {
    scope: "files:write",
    given: { "filename!": "string", "length!": "integer", alt_txt: "string", snippet_type: "string" },
  },
  "files.completeUploadExternal": {
    scope: "files:write",
    given: {
      "files!": "json",
      channel_id: "string",
      channels: "string",
      thread_ts: "string",
      initial_comment: "string",
      blocks: "json",
    },
  },
  "files.delete": { scope: "files:write", given: { "file!": "string" } },
  "files.info": { scope: "files:read", given: { "file!": "string" } },
  "oauth.v2.access": {
    token: "none",
    given: {
      client_id: "string",
      client_secret: "string",
      code: "string",
      redirect_uri: "string",
      grant_type: "string",
      refresh_token: "string",
    },
  },
};

export type Given = Readonly<Record<string, unknown>>;

/** The arguments in their kinds, or what is wrong with them. */
export function readArguments(
  shape: MethodShape,
  form: ReadonlyMap<string, string>,
): { readonly given: Given } | { readonly error: string; readonly messages: readonly string[] } {
  const kinds = new Map(Object.entries(shape.given).map(([name, kind]) => [name.replace(/!$/, ""), kind]));
  const given: Record<string, unknown> = {};
  const messages: string[] = [];
  for (const [name, value] of form) {
    const kind = kinds.get(name);
    if (kind === undefined) messages.push(`[ERROR] unknown argument: ${name}`);
    else {
      const read = readValue(kind, value);
      if (read === undefined) messages.push(`[ERROR] must be a ${kind}: ${name}`);
      else given[name] = read;
    }
  }
  for (const name of Object.keys(shape.given)) {
    if (name.endsWith("!") && given[name.slice(0, -1)] === undefined) {
      messages.push(`[ERROR] missing required field: ${name.slice(0, -1)}`);
    }
  }
  return messages.length === 0 ? { given } : { error: "invalid_arguments", messages };
}

function readValue(kind: ArgumentKind, value: string): unknown {
  switch (kind) {
    case "string":
      return value;
    case "boolean":
      if (value === "true" || value === "1") return true;
      return value === "false" || value === "0" ? false : undefined;
    case "integer":
      return /^\d+$/.test(value) ? Number(value) : undefined;
    case "json":
      try {
        return JSON.parse(value);
      } catch {
        return undefined;
      }
  }
}
