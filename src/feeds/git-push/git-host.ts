// What a git host's webhook is reduced to: who proves what, which repository it speaks of, and which refs moved where.

import * as z from "zod";
import type { HeaderView } from "../../../channels/kit/plain.ts";

export const gitProviders = ["github", "gitlab", "gitea", "forgejo", "bitbucket", "gitee"] as const;
export type GitProvider = (typeof gitProviders)[number];

/** What a request's signature may cover. */
export interface SignedBody {
  /** The bytes as they arrived. */
  readonly raw: Buffer;
  /** The bytes of the JSON document: the same ones, but for a form its decoded `payload` field; null where it has none. */
  readonly json: Buffer | null;
}

/** Whether a sender who holds this secret made the request; takes the same time for every wrong secret. */
export type Proof = (secret: string, body: SignedBody) => boolean;

/** A ref that moved; `before` is absent where it is new, and `head` is all zeros where it was deleted. */
export interface PushedRef {
  readonly ref: string;
  readonly before?: string;
  readonly head: string;
}

/** The repository by every name and address that its host gave; any of them may be absent. */
export interface HostRepository {
  readonly names: readonly string[];
  readonly urls: readonly string[];
}

export type HostEvent =
  | { readonly kind: "push"; readonly repository: HostRepository; readonly refs: readonly PushedRef[] }
  /** The host tries the address; `repository` is absent where the webhook is an organisation's. */
  | { readonly kind: "ping"; readonly repository?: HostRepository }
  | { readonly kind: "other" }
  /** The body has not the form of its event. */
  | { readonly kind: "malformed" };

/** One kind of git host. All functions are pure. */
export interface GitHost {
  readonly provider: GitProvider;
  /** What the headers offer as proof; null when it is missing or malformed, so that no body need be read. */
  proof(headers: HeaderView, now: number): Proof | null;
  /** The host's own name of this delivery, the same when it is repeated; null where there is none. */
  deliveryId(headers: HeaderView): string | null;
  read(headers: HeaderView, payload: unknown): HostEvent;
}

export const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** What no ref can hold (git-check-ref-format): control characters, spaces and the characters of patterns. */
export const fullRef = z
  .string()
  .max(1024)
  .regex(/^refs\/[^\p{Cc} ~^:?*[\\]+$/u);

/** A move of one ref, as four of the hosts write it. */
export const moveSchema = z.object({ ref: fullRef, before: objectId, after: objectId });
export type Move = z.output<typeof moveSchema>;

/** Whatever moved is told, deletions and tags too: what is reviewed of it is not the host's business. */
export function pushedRefs(moves: readonly Move[]): readonly PushedRef[] {
  return moves.map(({ ref, before, after }) => ({ ref, head: after, ...(isZero(before) ? {} : { before }) }));
}

/** Hosts write "no commit" as zeros, 40 or, in repositories of SHA-256, 64 of them. */
function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

export function repositoryOf(
  names: readonly (string | null | undefined)[],
  urls: readonly (string | null | undefined)[],
): HostRepository {
  const given = (values: readonly (string | null | undefined)[]) => values.filter((value) => typeof value === "string");
  return { names: given(names), urls: given(urls) };
}

/** A header that names something: printable and short, else as good as absent. */
export function identifier(headers: HeaderView, name: string): string | null {
  const value = headers.get(name);
  return value !== null && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
}
