// The tenant's access token: fetched once however many ask, kept until it is nearly over, and dropped when it is refused.
import { AppError } from "../../src/core/errors.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { toChannelError } from "./faults.ts";
import { type LarkHttp, LarkHttpError } from "./http.ts";

export interface TokenSource {
  /** Throws ChannelError. */
  get(): Promise<string>;
  /** Forgets that token; a newer one stays. */
  drop(token: string): void;
}

export interface TokenSourceOptions {
  readonly http: LarkHttp;
  readonly origin: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly clock: Clock;
  /** The platform does not know these credentials: nothing will work until somebody changes them. */
  readonly onRefused: (error: AppError) => void;
}

/** A token is fetched anew so long before its end, ms. */
const MARGIN_MS = 3 * 60_000;
/** Codes of the token's own address that say "try later". */
const passing = new Set([99991400, 99991403]);

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { http, origin, appId, appSecret, clock, onRefused } = options;
  let held: { readonly token: string; readonly until: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const url = `${origin}/open-apis/auth/v3/tenant_access_token/internal`;
    let answer: unknown;
    try {
      answer = await http.post(url, { app_id: appId, app_secret: appSecret });
    } catch (thrown) {
      if (isRefusal(thrown)) onRefused(refusal(thrown.code, thrown.reason));
      throw toChannelError(thrown);
    }
    const { tenant_access_token: token, expire } = answer as { tenant_access_token?: unknown; expire?: unknown };
    if (typeof token !== "string" || token === "" || typeof expire !== "number") {
      throw toChannelError(
        new LarkHttpError({ stage: "lost", what: "the tenant's token", reason: "none in the answer" }),
      );
    }
    held = { token, until: clock.monotonic() + Math.max(0, expire * 1_000 - MARGIN_MS) };
    return token;
  }

  return {
    get() {
      if (held !== undefined && clock.monotonic() < held.until) return Promise.resolve(held.token);
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    drop(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

function isRefusal(thrown: unknown): thrown is LarkHttpError {
  return (
    thrown instanceof LarkHttpError &&
    thrown.stage === "answered" &&
    thrown.code !== 0 &&
    thrown.status < 500 &&
    thrown.status !== 429 &&
    !passing.has(thrown.code)
  );
}

function refusal(code: number, reason: string): AppError {
  return new AppError("config", `Lark refuses the app's credentials (code ${code}: ${reason}).`, {
    remedy: "Check app_id, the app's secret and domain under channels.lark: an app of Feishu does not exist on Lark.",
  });
}
