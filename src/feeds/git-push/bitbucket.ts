// Reads the webhooks of Bitbucket Cloud and of Bitbucket Server (Data Center), told apart by the name of their event.
import * as z from "zod";
import {
  fullRef,
  type GitHost,
  type HostEvent,
  identifier,
  type Move,
  objectId,
  pushedRefs,
  repositoryOf,
} from "./git-host.ts";
import { hexSignature } from "./hex-signature.ts";

const NONE = "0".repeat(40);

const cloudRef = z.object({ type: z.string(), name: z.string(), target: z.object({ hash: objectId }) });

const cloudSchema = z.object({
  repository: z.object({
    full_name: z.string(),
    links: z.object({ html: z.object({ href: z.string() }).nullish() }).nullish(),
  }),
  push: z.object({ changes: z.array(z.object({ old: cloudRef.nullish(), new: cloudRef.nullish() })) }),
});

const serverSchema = z.object({
  repository: z.object({
    slug: z.string(),
    project: z.object({ key: z.string() }),
    links: z.object({ clone: z.array(z.object({ href: z.string() })).nullish() }).nullish(),
  }),
  changes: z.array(z.object({ ref: z.object({ id: fullRef }), fromHash: objectId, toHash: objectId })),
});

export const bitbucket: GitHost = {
  provider: "bitbucket",
  proof: (headers) => hexSignature(headers.get("x-hub-signature"), "sha256=", ({ raw }) => raw),
  deliveryId: (headers) => identifier(headers, "x-request-uuid") ?? identifier(headers, "x-request-id"),
  read(headers, payload) {
    switch (headers.get("x-event-key")) {
      case "repo:push":
        return readCloud(payload);
      case "repo:refs_changed":
        return readServer(payload);
      case "diagnostics:ping":
        return { kind: "ping" };
      default:
        return { kind: "other" };
    }
  },
};

function readCloud(payload: unknown): HostEvent {
  const push = cloudSchema.safeParse(payload);
  if (!push.success) return { kind: "malformed" };
  const { repository, push: pushed } = push.data;
  const moves: Move[] = [];
  for (const { old, new: next } of pushed.changes) {
    const named = next ?? old;
    // Bookmarks and named branches are Mercurial's, which Bitbucket has given up.
    const folder = named?.type === "branch" ? "heads" : /tag$/.test(named?.type ?? "") ? "tags" : null;
    if (!named || folder === null) continue;
    const ref = fullRef.safeParse(`refs/${folder}/${named.name}`);
    if (!ref.success) return { kind: "malformed" };
    moves.push({ ref: ref.data, before: old?.target.hash ?? NONE, after: next?.target.hash ?? NONE });
  }
  return {
    kind: "push",
    repository: repositoryOf([repository.full_name], [repository.links?.html?.href]),
    refs: pushedRefs(moves),
  };
}

function readServer(payload: unknown): HostEvent {
  const push = serverSchema.safeParse(payload);
  if (!push.success) return { kind: "malformed" };
  const { repository, changes } = push.data;
  return {
    kind: "push",
    repository: repositoryOf(
      [`${repository.project.key}/${repository.slug}`],
      (repository.links?.clone ?? []).map(({ href }) => href),
    ),
    refs: pushedRefs(changes.map(({ ref, fromHash, toHash }) => ({ ref: ref.id, before: fromHash, after: toHash }))),
  };
}
