// What the platform says when the long connection asks for its address: the SDK keeps these answers to itself.
import { messageOf } from "./background.ts";
import type { LarkHttp } from "./http.ts";

/** `code` is the platform's; absent when no answer came, or one that names no address. */
export interface EndpointRefusal {
  readonly code?: number;
  readonly reason: string;
}

export const endpointPath = "/callback/ws/endpoint";

/**
 * The client with an ear for answers that give no address: the SDK tells some by its log alone, and tries again for ever.
 * @param refused called once a refused or failed attempt, before the SDK hears of it.
 */
export function watchEndpoint(http: LarkHttp, refused: (refusal: EndpointRefusal) => void): LarkHttp {
  return {
    ...http,
    async request(options) {
      if (options.url?.endsWith(endpointPath) !== true) return http.request(options);
      try {
        const answer = await http.request(options);
        const refusal = refusalOf(answer);
        if (refusal !== null) refused(refusal);
        return answer;
      } catch (thrown) {
        refused({ ...codeOf(thrown), reason: messageOf(thrown) });
        throw thrown;
      }
    },
  };
}

function refusalOf(answer: unknown): EndpointRefusal | null {
  const { code, msg, data } = (answer ?? {}) as { code?: unknown; msg?: unknown; data?: { URL?: unknown } | null };
  const reason = typeof msg === "string" && msg !== "" ? msg.slice(0, 200) : "no reason given";
  if (code !== 0) return { ...(typeof code === "number" ? { code } : {}), reason };
  return typeof data?.URL === "string" ? null : { reason: "the platform named no address" };
}

function codeOf(thrown: unknown): { readonly code?: number } {
  const code = (thrown as { code?: unknown }).code;
  return typeof code === "number" && code !== 0 ? { code } : {};
}

/** What an operator can do about a refusal, one sentence; and whether waiting will not help. */
export function remedyOf({ code }: EndpointRefusal): { readonly text: string; readonly isConfiguration: boolean } {
  const text = code === undefined ? undefined : remedies[code];
  if (text !== undefined) return { text, isConfiguration: true };
  return {
    text: "It is tried again; if it stays, look for the platform's state and your network.",
    isConfiguration: false,
  };
}

const remedies: Readonly<Record<number, string>> = {
  403: "Let the app be a self-built one with the bot enabled, publish a version of it, and have it approved.",
  514: "Compare app_id and the secret of app_secret_env with the app's Credentials & Basic Info.",
  1000040350: "Stop other processes of this app: it may hold 50 connections, and only one of them hears each event.",
  1000040351: "Set domain to the cloud where the app was made: feishu or lark.",
};
