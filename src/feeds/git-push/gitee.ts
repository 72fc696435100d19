// Reads the webhooks of Gitee, which prove that the sender holds the secret but sign nothing of the body.
import * as z from "zod";
import { hmac, sameText } from "../constant-time.ts";
import { type GitHost, moveSchema, pushedRefs, repositoryOf } from "./git-host.ts";

/** How far the time of a signature may be from ours, ms: the hour that Gitee itself names. */
const SIGNED_WINDOW_MS = 3_600_000;

const repositorySchema = z.object({
  full_name: z.string().nullish(),
  path_with_namespace: z.string().nullish(),
  html_url: z.string().nullish(),
  git_http_url: z.string().nullish(),
  git_ssh_url: z.string().nullish(),
});

const pushSchema = moveSchema.extend({ repository: repositorySchema });

const pushHooks: ReadonlySet<string | null> = new Set(["Push Hook", "Tag Push Hook", "push_hooks", "tag_push_hooks"]);

export const gitee: GitHost = {
  provider: "gitee",
  proof(headers, now) {
    const given = headers.get("x-gitee-token");
    if (given === null) return null;
    const time = headers.get("x-gitee-timestamp") ?? "";
    const inTime = /^\d{1,15}$/.test(time) && Math.abs(Number(time) - now) <= SIGNED_WINDOW_MS;
    const decoded = percentDecoded(given);
    return (secret) => {
      const signature = hmac(secret, "base64", `${time}\n${secret}`);
      // Every comparison is made, whatever the others say.
      const isPassword = sameText(given, secret);
      const isSigned = [sameText(given, signature), sameText(decoded, signature)].includes(true);
      return isPassword || (isSigned && inTime);
    };
  },
  // It has none: what was pushed is the name of its delivery.
  deliveryId: () => null,
  read(headers, payload) {
    if (headers.get("x-gitee-ping") === "true") {
      const tried = z.object({ repository: repositorySchema.nullish() }).safeParse(payload);
      const repository = tried.success ? tried.data.repository : undefined;
      return { kind: "ping", ...(repository ? { repository: named(repository) } : {}) };
    }
    if (!pushHooks.has(headers.get("x-gitee-event"))) return { kind: "other" };
    const push = pushSchema.safeParse(payload);
    if (!push.success) return { kind: "malformed" };
    return { kind: "push", repository: named(push.data.repository), refs: pushedRefs([push.data]) };
  },
};

function named(repository: z.output<typeof repositorySchema>) {
  const { full_name, path_with_namespace, html_url, git_http_url, git_ssh_url } = repository;
  return repositoryOf([full_name, path_with_namespace], [git_http_url, git_ssh_url, html_url]);
}

/** The signature is sent percent-encoded by some versions. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
