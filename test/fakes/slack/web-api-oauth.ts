// The fake's OAuth: codes that serve once, and refresh tokens of which only the newest counts.
import type { Given } from "./web-api-arguments.ts";
import { type Result, refuse } from "./web-api-messages.ts";
import type { SlackState } from "./web-api-state.ts";

export interface FakeOauth {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Tokens expire after twelve hours and are renewed. */
  rotates: boolean;
  /** What a person's consent gives: a code for one installation of a team. */
  consent(team: string, redirectUri?: string): string;
  /** Exchanges that were made, refreshes among them. */
  readonly exchanges: string[];
  access(given: Given, basic: string | undefined): Result;
}

const TOKEN_S = 43_200;

export function createFakeOauth(state: SlackState): FakeOauth {
  const codes = new Map<string, { readonly team: string; readonly redirectUri: string | undefined }>();
  const refreshTokens = new Map<string, string>();

  function grant(teamId: string, isRefresh: boolean): Result {
    const team = state.teams.get(teamId);
    const bot = team?.installations[0];
    if (team === undefined || bot === undefined) return refuse("invalid_code");
    delete bot.refusal;
    const rotation = oauth.rotates ? rotated(teamId) : {};
    if (oauth.rotates) bot.token = `xoxe.xoxb-${state.nextId("1-")}`;
    const { token: access_token, scopes, botUserId: bot_user_id, appId: app_id } = bot;
    return {
      ok: true,
      access_token,
      token_type: "bot",
      scope: [...scopes].join(","),
      bot_user_id,
      app_id,
      team: { id: team.id, name: team.name },
      enterprise: null,
      is_enterprise_install: false,
      ...rotation,
      ...(isRefresh ? {} : { authed_user: { id: "U0001" } }),
    };
  }

  function rotated(team: string): Readonly<Record<string, unknown>> {
    const token = `xoxe-1-${state.nextId("R")}`;
    refreshTokens.set(token, team);
    return { refresh_token: token, expires_in: TOKEN_S };
  }

  const oauth: FakeOauth = {
    clientId: "1234567890.1234567890",
    clientSecret: "0123456789abcdef0123456789abcdef",
    rotates: false,
    exchanges: [],
    consent(team, redirectUri) {
      const code = state.nextId("code.");
      codes.set(code, { team, redirectUri });
      return code;
    },
    access(given, basic) {
      const inHeader = basic === undefined ? undefined : Buffer.from(basic, "base64").toString().split(":");
      const id = inHeader?.[0] ?? given["client_id"];
      const secret = inHeader?.[1] ?? given["client_secret"];
      if (id !== oauth.clientId) return refuse("invalid_client_id");
      if (secret !== oauth.clientSecret) return refuse("bad_client_secret");
      if (given["grant_type"] === "refresh_token") {
        const token = String(given["refresh_token"]);
        const team = refreshTokens.get(token);
        // A refresh token serves once: whoever uses it twice has lost the pair.
        if (team === undefined || !refreshTokens.delete(token)) return refuse("invalid_refresh_token");
        oauth.exchanges.push(`refresh ${team}`);
        return grant(team, true);
      }
      const code = String(given["code"]);
      const consent = codes.get(code);
      if (consent === undefined) return refuse("invalid_code");
      codes.delete(code);
      if (consent.redirectUri !== undefined && consent.redirectUri !== given["redirect_uri"]) {
        return refuse("bad_redirect_uri");
      }
      oauth.exchanges.push(`code ${consent.team}`);
      return grant(consent.team, false);
    },
  };
  return oauth;
}
