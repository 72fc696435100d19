// Reads the webhooks of GitHub and of GitHub Enterprise Server.
import * as z from "zod";
import { type GitHost, type HostRepository, identifier, moveSchema, pushedRefs, repositoryOf } from "./git-host.ts";
import { hexSignature } from "./hex-signature.ts";

/** The parts of a repository that GitHub, Gitea and Forgejo write alike. */
export const repositorySchema = z.object({
  full_name: z.string(),
  html_url: z.string().nullish(),
  clone_url: z.string().nullish(),
  ssh_url: z.string().nullish(),
});

export const pushSchema = moveSchema.extend({ repository: repositorySchema });

const pingSchema = z.object({ repository: repositorySchema.nullish() });

export const github: GitHost = {
  provider: "github",
  // The raw body is signed, that of a form too.
  proof: (headers) => hexSignature(headers.get("x-hub-signature-256"), "sha256=", ({ raw }) => raw),
  deliveryId: (headers) => identifier(headers, "x-github-delivery"),
  read(headers, payload) {
    const event = headers.get("x-github-event");
    if (event === "ping") {
      const ping = pingSchema.safeParse(payload);
      if (!ping.success) return { kind: "malformed" };
      const { repository } = ping.data;
      return { kind: "ping", ...(repository ? { repository: named(repository) } : {}) };
    }
    if (event !== "push") return { kind: "other" };
    const push = pushSchema.safeParse(payload);
    if (!push.success) return { kind: "malformed" };
    return { kind: "push", repository: named(push.data.repository), refs: pushedRefs([push.data]) };
  },
};

export function named(repository: z.output<typeof repositorySchema>): HostRepository {
  const { full_name, html_url, clone_url, ssh_url } = repository;
  return repositoryOf([full_name], [clone_url, ssh_url, html_url]);
}
