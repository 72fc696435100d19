// Reads the webhooks of Gitea, and of Forgejo, which adds headers of its own name and keeps Gitea's.
import type { HeaderView } from "../../../channels/kit/plain.ts";
import { type GitHost, identifier, pushedRefs } from "./git-host.ts";
import { named, pushSchema } from "./github.ts";
import { hexSignature } from "./hex-signature.ts";

export const gitea: GitHost = createGitea("gitea", ["gitea"]);
export const forgejo: GitHost = createGitea("forgejo", ["forgejo", "gitea"]);

/** @param names the prefixes of its headers, the strongest first. */
function createGitea(provider: "gitea" | "forgejo", names: readonly string[]): GitHost {
  const first = (headers: HeaderView, suffix: string): string | null => {
    const name = names.find((one) => headers.has(`x-${one}-${suffix}`));
    return name === undefined ? null : headers.get(`x-${name}-${suffix}`);
  };
  return {
    provider,
    proof(headers) {
      const own = first(headers, "signature");
      // Unlike GitHub's, the signature of a form covers the JSON in its field, not the form.
      return own === null
        ? hexSignature(headers.get("x-hub-signature-256"), "sha256=", ({ json }) => json)
        : hexSignature(own, "", ({ json }) => json);
    },
    deliveryId(headers) {
      const name = names.find((one) => headers.has(`x-${one}-delivery`));
      return identifier(headers, `x-${name ?? "gitea"}-delivery`);
    },
    read(headers, payload) {
      // Its button "Test delivery" sends a push of the newest commit: nothing that needs a case of its own.
      if (first(headers, "event") !== "push") return { kind: "other" };
      const push = pushSchema.safeParse(payload);
      if (!push.success) return { kind: "malformed" };
      return { kind: "push", repository: named(push.data.repository), refs: pushedRefs([push.data]) };
    },
  };
}
