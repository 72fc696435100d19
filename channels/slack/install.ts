// Installing the app in several workspaces: the way to Slack's consent and back, with a state that serves one person once.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { methodNotAllowed } from "../kit/answers.ts";
import { channelName } from "./inbound.ts";
import type { Installations } from "./installations.ts";
import type { OAuthCalls } from "./oauth-calls.ts";
import { allBotScopes } from "./scopes.ts";
import { messageOf } from "./spoken.ts";
import type { Words } from "./words.ts";

export const installPath = "/slack/install";
export const redirectPath = "/slack/oauth_redirect";

export interface InstallOptions {
  readonly clientId: string;
  /** Signs the state. */
  readonly clientSecret: string;
  /** Where Slack asks for consent. */
  readonly authorizeUrl: string;
  /** Where people reach this server, without a slash at its end. */
  readonly publicUrl: string;
  readonly calls: Pick<OAuthCalls, "exchange">;
  readonly installations: Pick<Installations, "save">;
  readonly store: Pick<ChannelStore, "claimEvent" | "settleEvent">;
  readonly words: Words;
  /** The app came to a workspace, or came back to it. */
  readonly installed: (workspace: string) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a person may take at Slack's page, ms. */
const STATE_MS = 10 * 60_000;
const cookieName = "aicr_slack_install";

const stateShape = z.strictObject({ nonce: z.string().regex(/^[\w-]{22}$/), until: z.number() });

/** Answers `GET /slack/install` and `GET /slack/oauth_redirect`. */
export function createInstall(options: InstallOptions): (request: Request) => Promise<Response> {
  const { clock, logger, words, store } = options;
  const key = createHmac("sha256", options.clientSecret).update("state of an installation").digest();
  const redirectUri = `${options.publicUrl}${redirectPath}`;

  return async (request) => {
    if (request.method !== "GET") return methodNotAllowed(["GET"]);
    const address = new URL(request.url);
    return address.pathname === installPath ? begin() : finish(address.searchParams, request);
  };

  function begin(): Response {
    const nonce = randomBytes(16).toString("base64url");
    const address = new URL(options.authorizeUrl);
    address.searchParams.set("client_id", options.clientId);
    address.searchParams.set("scope", allBotScopes.join(","));
    address.searchParams.set("redirect_uri", redirectUri);
    address.searchParams.set("state", signed({ nonce, until: clock.now() + STATE_MS }));
    return new Response(null, {
      status: 302,
      headers: { location: address.href, "cache-control": "no-store", "set-cookie": cookie(nonce, STATE_MS / 1_000) },
    });
  }

  async function finish(given: URLSearchParams, request: Request): Promise<Response> {
    const locale = languageOf(request);
    const nonce = nonceOf(given.get("state") ?? "");
    // The same browser must come back: nobody can be sent here with a consent of somebody else's.
    if (nonce === null || !cookies(request).includes(`${cookieName}=${nonce}`)) {
      logger.warn("slack.install_refused", { reason: "state" });
      return say(400, "slack.install.state", locale);
    }
    // A state serves once, in all processes.
    const event = { channel: channelName, key: `oauth:${nonce}` };
    if (!(await store.claimEvent(event, clock.now()))) return say(400, "slack.install.state", locale);
    await store.settleEvent(event, clock.now());
    if (given.get("error") !== null) return say(200, "slack.install.denied", locale);
    const code = given.get("code");
    if (code === null || code === "") return say(400, "slack.install.state", locale);
    try {
      const workspace = await options.installations.save(await options.calls.exchange(code, redirectUri));
      logger.info("slack.installed", { workspace });
      await options.installed(workspace);
      return await say(200, "slack.install.done", locale);
    } catch (thrown) {
      logger.error("slack.install_failed", { error: messageOf(thrown) });
      return say(502, "slack.install.failed", locale);
    }
  }

  async function say(status: number, key: string, locale: string | undefined): Promise<Response> {
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "set-cookie": cookie("", 0),
    };
    return new Response(`${await words.say(key, locale)}\n`, { status, headers });
  }

  function cookie(value: string, seconds: number): string {
    const secure = options.publicUrl.startsWith("https:") ? "; Secure" : "";
    return `${cookieName}=${value}; Path=/slack; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  function signed(state: z.output<typeof stateShape>): string {
    const body = Buffer.from(JSON.stringify(state)).toString("base64url");
    return `${body}.${macOf(body)}`;
  }

  function nonceOf(text: string): string | null {
    const [body = "", mac = "", ...rest] = text.split(".");
    const expected = Buffer.from(macOf(body));
    const given = Buffer.from(mac);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const parsed = stateShape.safeParse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
    return parsed.success && parsed.data.until > clock.now() ? parsed.data.nonce : null;
  }

  function macOf(body: string): string {
    return createHmac("sha256", key).update(body).digest("base64url");
  }
}

function cookies(request: Request): readonly string[] {
  return (request.headers.get("cookie") ?? "").split(";").map((one) => one.trim());
}

function languageOf(request: Request): string | undefined {
  return /^[A-Za-z]{2,3}(?:-[0-9A-Za-z]{2,8})?/.exec(request.headers.get("accept-language") ?? "")?.[0];
}
