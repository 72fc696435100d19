// Reads the webhooks of GitLab: a project's, a group's, and the system hooks of a whole server.

import * as z from "zod";
import type { HeaderView } from "../../../channels/kit/plain.ts";
import { hmac, sameText } from "../constant-time.ts";
import { type GitHost, identifier, moveSchema, type Proof, pushedRefs, repositoryOf } from "./git-host.ts";

/** How far a signed request's time may be from ours, ms: five minutes, as Standard Webhooks advises. */
const SIGNED_WINDOW_MS = 300_000;

const pushSchema = moveSchema.extend({
  project: z.object({
    path_with_namespace: z.string(),
    web_url: z.string().nullish(),
    git_http_url: z.string().nullish(),
    git_ssh_url: z.string().nullish(),
  }),
});

/** System hooks name the event in `event_name`, and tell of much beside pushes. */
const kindSchema = z.object({ object_kind: z.string().nullish(), event_name: z.string().nullish() });

const pushHooks: ReadonlySet<string | null> = new Set(["Push Hook", "Tag Push Hook", "System Hook"]);

export const gitlab: GitHost = {
  provider: "gitlab",
  proof(headers, now) {
    const token = headers.get("x-gitlab-token");
    const signed = standardSignature(headers, now);
    if (token === null) return signed;
    // A webhook may have both a token and a signing key; the configured secret is one or the other.
    return (secret, body) => (isSigningKey(secret) ? signed?.(secret, body) === true : sameText(token, secret));
  },
  deliveryId: (headers) =>
    identifier(headers, "idempotency-key") ??
    identifier(headers, "webhook-id") ??
    identifier(headers, "x-gitlab-event-uuid"),
  read(headers, payload) {
    if (!pushHooks.has(headers.get("x-gitlab-event"))) return { kind: "other" };
    const named = kindSchema.safeParse(payload);
    const kind = named.success ? (named.data.object_kind ?? named.data.event_name) : undefined;
    if (kind !== "push" && kind !== "tag_push") return { kind: named.success ? "other" : "malformed" };
    const push = pushSchema.safeParse(payload);
    if (!push.success) return { kind: "malformed" };
    const { project } = push.data;
    return {
      kind: "push",
      repository: repositoryOf(
        [project.path_with_namespace],
        [project.git_http_url, project.git_ssh_url, project.web_url],
      ),
      refs: pushedRefs([push.data]),
    };
  },
};

function isSigningKey(secret: string): boolean {
  return secret.startsWith("whsec_");
}

/** The signature of Standard Webhooks, over id, time and body; while keys are changed there are several, by spaces. */
function standardSignature(headers: HeaderView, now: number): Proof | null {
  const id = identifier(headers, "webhook-id");
  const time = headers.get("webhook-timestamp") ?? "";
  const given = (headers.get("webhook-signature") ?? "").split(" ");
  if (id === null || !/^\d{1,12}$/.test(time) || Math.abs(Number(time) * 1000 - now) > SIGNED_WINDOW_MS) return null;
  if (given.length > 8 || !given.every((one) => /^v\d+[a-z]?,[A-Za-z0-9+/]+={0,2}$/.test(one))) return null;
  return (secret, { raw }) => {
    if (!isSigningKey(secret)) return false;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const expected = `v1,${hmac(key, "base64", `${id}.${time}.`, raw)}`;
    return given.map((one) => sameText(one, expected)).includes(true);
  };
}
