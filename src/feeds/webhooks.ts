// Takes the pushes of git hosts over HTTP: proof before parsing, and durable before anything is acknowledged.
import { plainError, plainMethodNotAllowed } from "../../channels/kit/answers.ts";
import type { HeaderView, PlainAnswer, PlainRequest } from "../../channels/kit/plain.ts";
import type { AcceptPush } from "../app/accept-push.ts";
import { AppError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { acceptAll, accepted, type IncomingPush } from "./accept-all.ts";
import { createGather, type Presence } from "./gather.ts";
import { bitbucket } from "./git-push/bitbucket.ts";
import type { GitHost, GitProvider, HostEvent, HostRepository, SignedBody } from "./git-push/git-host.ts";
import { forgejo, gitea } from "./git-push/gitea.ts";
import { gitee } from "./git-push/gitee.ts";
import { github } from "./git-push/github.ts";
import { gitlab } from "./git-push/gitlab.ts";
import { findRepositories, type NamedRepository } from "./git-push/host-names.ts";
import { type BodyReader, createBodyReader } from "./read-body.ts";
import { type MediaType, mediaTypeOf, readForm, readJson } from "./read-document.ts";

/** One webhook as its host is set up: who it is, how it proves that, and whose pushes it may tell. */
export interface WebhookSource {
  readonly provider: GitProvider;
  /** Null only for a source without proof, which this machine's own programs alone may use. */
  readonly secret: string | null;
  readonly repositories: readonly NamedRepository[];
}

export interface WebhookPorts {
  readonly sources: readonly WebhookSource[];
  readonly acceptPush: AcceptPush;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bodies?: BodyReader;
}

/** What the HTTP server mounts. */
export interface FeedRoutes {
  readonly name: string;
  readonly routes: readonly string[];
  receive(request: PlainRequest): Promise<PlainAnswer>;
}

/** By far the most of a push, and what is reviewed is read from the repository itself. */
const unread = ["commits", "head_commit"] as const;

const hosts: Readonly<Record<GitProvider, GitHost>> = { github, gitlab, gitea, forgejo, bitbucket, gitee };

/** Routes for the providers that have a source. Throws AppError `config` for an empty secret, which anybody could guess. */
export function createWebhooks({
  sources,
  acceptPush,
  clock,
  logger,
  bodies = createBodyReader(),
}: WebhookPorts): FeedRoutes {
  if (sources.some(({ secret }) => secret === "")) {
    throw new AppError("config", "A webhook's secret is empty.", { remedy: "Set the variable that secret_env names." });
  }
  const gather = createGather(clock);
  const byRoute = new Map<string, { readonly host: GitHost; readonly sources: readonly WebhookSource[] }>();
  for (const host of Object.values(hosts)) {
    const own = sources.filter(({ provider }) => provider === host.provider);
    if (own.length > 0) byRoute.set(`/webhooks/${host.provider}`, { host, sources: own });
  }

  async function receive(request: PlainRequest): Promise<PlainAnswer> {
    const found = byRoute.get(request.path);
    if (found === undefined) return unknownAddress();
    if (request.method !== "POST") return plainMethodNotAllowed(["POST"]);
    const mediaType = mediaTypeOf(request.headers);
    if (mediaType === null) return unsupported();
    const { host } = found;
    const prove = proveSources(found.sources, host, request, clock.now());
    if (prove === null) return refuse(host, "no_proof", { connection: "close" });
    const presence = gather.enter();
    try {
      return await bodies.read(request, (raw) => take(host, prove, request.headers, raw, mediaType, presence));
    } finally {
      presence.leave();
    }
  }

  async function take(
    host: GitHost,
    prove: Prove,
    headers: HeaderView,
    raw: Buffer,
    mediaType: MediaType,
    presence: Presence,
  ) {
    const json = mediaType === "json" ? raw : payloadField(raw);
    const proven = prove({ raw, json });
    if (proven.length === 0) return refuse(host, "wrong_proof");
    if (json === null) return malformed("The form has no single field named payload.");
    const document = readJson(json, unread);
    if (!document.ok) return malformed(document.problem);
    const event = host.read(headers, document.value);
    if (event.kind === "malformed") return malformed("The body has not the form of its event.");
    if (event.kind === "other") return accepted([], "not_a_push");
    const repositories = coveredBy(proven, event.repository);
    // Whether a repository is unknown or another secret's, the answer is the same: it tells nobody what is configured.
    if (repositories.length === 0) return refuse(host, "not_covered");
    if (event.kind === "ping") return accepted([], "ping");
    await presence.arrive();
    return acceptAll(pushesOf(event, repositories, host, headers), { acceptPush, logger });
  }

  function refuse(host: GitHost, reason: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer {
    logger.warn("webhook.refused", { provider: host.provider, reason });
    return plainError(
      401,
      {
        code: "auth",
        message: "The request proves nothing for a repository that is configured here.",
        remedy: "Give the webhook the secret of a source that names this repository.",
      },
      headers,
    );
  }

  return { name: "webhooks", routes: [...byRoute.keys()], receive };
}

/** The sources whose secret made this body; every one is tried, whatever the others say. */
type Prove = (body: SignedBody) => readonly WebhookSource[];

/** Null when no source could ever accept these headers, so that the body is not worth reading. */
function proveSources(
  sources: readonly WebhookSource[],
  host: GitHost,
  request: PlainRequest,
  now: number,
): Prove | null {
  const open = request.peer === "loopback" ? sources.filter(({ secret }) => secret === null) : [];
  const proof = host.proof(request.headers, now);
  if (proof === null && open.length === 0) return null;
  return (body) => [...sources.filter(({ secret }) => secret !== null && proof?.(secret, body) === true), ...open];
}

/** A ping that speaks of no repository is covered by any proof. */
function coveredBy(sources: readonly WebhookSource[], named: HostRepository | undefined): readonly NamedRepository[] {
  const candidates = sources.flatMap(({ repositories }) => repositories);
  const found = named === undefined ? candidates : findRepositories(candidates, named);
  return [...new Map(found.map((one) => [one.alias, one])).values()];
}

function pushesOf(
  event: Extract<HostEvent, { readonly kind: "push" }>,
  repositories: readonly NamedRepository[],
  { provider, deliveryId }: GitHost,
  headers: HeaderView,
): readonly IncomingPush[] {
  const delivery = deliveryId(headers);
  return repositories.flatMap(({ alias }) =>
    event.refs.map((moved) => ({ ...moved, repository: alias, source: provider, delivery })),
  );
}

function payloadField(raw: Buffer): Buffer | null {
  const payload = readForm(raw)?.get("payload");
  return payload === undefined ? null : Buffer.from(payload, "utf8");
}

function unknownAddress(): PlainAnswer {
  const message = "No webhook is configured at this address.";
  return plainError(404, { code: "not_found", message, remedy: "Add a source for this host to webhooks." });
}

function unsupported(): PlainAnswer {
  const message = "The body is neither JSON nor a form, or it is compressed.";
  const remedy = "Set the webhook's content type to application/json.";
  return plainError(415, { code: "unsupported", message, remedy }, { connection: "close" });
}

function malformed(message: string): PlainAnswer {
  return plainError(400, { code: "bad_request", message, remedy: "Send the event as the host documents it." });
}
