// Requests as hosts make them, signed by the hosts' own rules, and an acceptance that remembers what it was given.
import { createHmac } from "node:crypto";
import { type Peer, peerHeader } from "../../../channels/kit/peer.ts";
import type { AcceptPush, Push, PushAnswer } from "../../../src/app/accept-push.ts";
import type { ReviewId } from "../../../src/core/ids.ts";
import type { GitProvider } from "../../../src/feeds/git-push/git-host.ts";
import { createWebhooks, type FeedRoutes, type WebhookSource } from "../../../src/feeds/webhooks.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { viaWeb } from "./web-request.ts";

export const A = "a".repeat(40);
export const B = "b".repeat(40);
export const ZERO = "0".repeat(40);
export const SECRET = "It's a Secret to Everybody";
export const clock = createFakeClock(Date.UTC(2025, 5, 1));

export const game = {
  alias: "game",
  names: ["team/game"],
  url: "https://git.example.com/team/game.git",
} as const;

export function source(provider: GitProvider, more: Partial<WebhookSource> = {}): WebhookSource {
  return { provider, secret: SECRET, repositories: [game], ...more };
}

export interface Acceptance {
  readonly accept: AcceptPush;
  readonly pushes: Push[];
}

/** Accepts every push with a review of its own; the same delivery or head again is a duplicate, as the real one says. */
export function acceptance(): Acceptance {
  const pushes: Push[] = [];
  const seen = new Set<string>();
  const accept = async (push: Push): Promise<PushAnswer> => {
    pushes.push(push);
    const keys = [`${push.source} ${push.deliveryId}`, `${push.repository} ${push.ref} ${push.head}`];
    const known = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    if (/^0+$/.test(push.head)) return { outcome: "ignored", reason: "deleted" };
    return known ? { outcome: "duplicate" } : { outcome: "accepted", reviewId: `rv_${seen.size}` as ReviewId };
  };
  return { accept, pushes };
}

export interface Receiver extends Acceptance {
  readonly routes: FeedRoutes;
  /** Status and JSON body of the answer. */
  post(request: Request): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>;
}

export function receiver(...sources: readonly WebhookSource[]): Receiver {
  const { accept, pushes } = acceptance();
  const routes = createWebhooks({ sources, acceptPush: accept, clock, logger: silentLogger });
  return {
    accept,
    pushes,
    routes,
    async post(request) {
      const answer = await viaWeb(routes)(request);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

export function hex(body: string | Buffer, secret = SECRET): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

export interface Sent {
  readonly provider: GitProvider;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaType?: string;
  readonly peer?: Peer;
}

export function post({ provider, body, headers, mediaType = "application/json", peer = "remote" }: Sent): Request {
  return new Request(`http://127.0.0.1/webhooks/${provider}`, {
    method: "POST",
    body: new Uint8Array(Buffer.from(body)),
    headers: { "content-type": mediaType, [peerHeader]: peer, ...headers },
  });
}

/** A push as GitHub writes it, as far as a receiver may care; `more` replaces whole fields. */
export function githubPush(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    ref: "refs/heads/main",
    before: A,
    after: B,
    repository: {
      id: 186853002,
      node_id: "MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=",
      name: "game",
      full_name: "team/game",
      private: true,
      owner: { name: "team", email: "team@example.com", login: "team", id: 21031067, type: "User", site_admin: false },
      html_url: "https://git.example.com/team/game",
      fork: false,
      url: "https://git.example.com/team/game",
      created_at: 1557933565,
      pushed_at: 1557933657,
      git_url: "git://git.example.com/team/game.git",
      ssh_url: "git@git.example.com:team/game.git",
      clone_url: "https://git.example.com/team/game.git",
      default_branch: "main",
      master_branch: "main",
    },
    pusher: { name: "alice", email: "alice@example.com" },
    sender: { login: "alice", id: 21031067, type: "User", site_admin: false },
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: `https://git.example.com/team/game/compare/${A.slice(0, 12)}...${B.slice(0, 12)}`,
    commits: [
      {
        id: B,
        tree_id: "f9d2a07e9488b91af2641b26b9407fe22a451433",
        distinct: true,
        message: 'Zählt nicht mehr doppelt 🎮\n\nSays "[[{{" and __proto__ in its text.',
        timestamp: "2019-05-15T15:20:30+00:00",
        url: `https://git.example.com/team/game/commit/${B}`,
        author: { name: "Alice", email: "alice@example.com", username: "alice" },
        committer: { name: "Alice", email: "alice@example.com", username: "alice" },
        added: [],
        removed: [],
        modified: ["src/score.ts"],
      },
    ],
    head_commit: null,
    ...more,
  };
}

export function github(
  payload: unknown = githubPush(),
  headers: Readonly<Record<string, string>> = {},
  secret = SECRET,
): Request {
  const body = JSON.stringify(payload);
  return post({
    provider: "github",
    body,
    headers: {
      "user-agent": "GitHub-Hookshot/044aadd",
      "x-github-event": "push",
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": `sha256=${hex(body, secret)}`,
      ...headers,
    },
  });
}
