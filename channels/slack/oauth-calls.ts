// The calls of Slack's OAuth: a code for a first token, a refresh token for the next one.
import { WebClient } from "@slack/web-api";
import * as z from "zod";
import { ChannelError } from "../../src/ports/channel.ts";

/** What Slack granted to one workspace. */
export interface SlackGrant {
  /** Team id; of an installation for a whole organisation the enterprise's. */
  readonly workspace: string;
  readonly name?: string;
  readonly enterprise?: string;
  readonly appId?: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly scopes: readonly string[];
  /** Who installed it. */
  readonly installedBy?: string;
  /** With token rotation only. */
  readonly refreshToken?: string;
  /** Seconds the token is good for; with token rotation only. */
  readonly expiresIn?: number;
}

export interface OAuthCalls {
  /** Throws ChannelError: `rejected` or `auth` with Slack's word for it, `uncertain` when Slack did not answer. */
  exchange(code: string, redirectUri: string): Promise<SlackGrant>;
  refresh(refreshToken: string): Promise<SlackGrant>;
}

export interface OAuthCallsOptions {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may take, ms. */
  readonly timeoutMs?: number;
}

const named = z.object({ id: z.string().min(1), name: z.string().optional() });
const granted = z.object({
  access_token: z.string().min(1),
  token_type: z.string().optional(),
  bot_user_id: z.string().min(1),
  scope: z.string().default(""),
  app_id: z.string().optional(),
  team: named.nullish(),
  enterprise: named.nullish(),
  is_enterprise_install: z.boolean().default(false),
  authed_user: z.object({ id: z.string() }).optional(),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().int().positive().optional(),
});

export function createOAuthCalls(options: OAuthCallsOptions): OAuthCalls {
  const { clientId: client_id, clientSecret: client_secret } = options;
  const client = new WebClient("", {
    slackApiUrl: options.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: options.timeoutMs ?? 15_000,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    logger: silent,
  });

  return {
    exchange: (code, redirect_uri) =>
      asGrant(() => client.oauth.v2.access({ client_id, client_secret, code, redirect_uri })),
    refresh: (refresh_token) =>
      asGrant(() => client.oauth.v2.access({ client_id, client_secret, grant_type: "refresh_token", refresh_token })),
  };
}

/** Slack's refusals, of which none passes by itself. */
const refusals = new Set([
  "invalid_client_id",
  "bad_client_secret",
  "invalid_code",
  "code_already_used",
  "bad_redirect_uri",
  "invalid_refresh_token",
  "oauth_authorization_url_mismatch",
  "token_revoked",
  "account_inactive",
  "invalid_auth",
]);

async function asGrant(call: () => Promise<unknown>): Promise<SlackGrant> {
  const answer = await call().catch((thrown: unknown) => {
    const code = slackCode(thrown);
    // The request holds the client secret: nothing of the thrown object goes on but Slack's word.
    if (code !== undefined && refusals.has(code)) throw new ChannelError("auth", `Slack refused: ${code}.`);
    if (code !== undefined) throw new ChannelError("rejected", `Slack refused: ${code}.`);
    throw new ChannelError("uncertain", "Slack did not answer.");
  });
  const parsed = granted.safeParse(answer);
  if (!parsed.success) throw new ChannelError("rejected", "Slack granted no bot token.");
  const { data } = parsed;
  const workspace = data.is_enterprise_install ? data.enterprise?.id : (data.team?.id ?? data.enterprise?.id);
  if (workspace === undefined) throw new ChannelError("rejected", "Slack granted a token for no workspace.");
  const name = data.is_enterprise_install ? data.enterprise?.name : data.team?.name;
  return {
    workspace,
    ...(name === undefined ? {} : { name }),
    ...(data.enterprise == null ? {} : { enterprise: data.enterprise.id }),
    ...(data.app_id === undefined ? {} : { appId: data.app_id }),
    botToken: data.access_token,
    botUserId: data.bot_user_id,
    scopes: data.scope.split(",").filter((scope) => scope !== ""),
    ...(data.authed_user === undefined ? {} : { installedBy: data.authed_user.id }),
    ...(data.refresh_token === undefined ? {} : { refreshToken: data.refresh_token }),
    ...(data.expires_in === undefined ? {} : { expiresIn: data.expires_in }),
  };
}

const platformError = z.object({ data: z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) }) });

/** Slack's word for why it refused, when that is what was thrown. */
export function slackCode(thrown: unknown): string | undefined {
  const parsed = platformError.safeParse(thrown);
  return parsed.success ? parsed.data.data.error : undefined;
}

/** What the SDK would log holds tokens and secrets now and then. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as never,
  setName() {},
};
