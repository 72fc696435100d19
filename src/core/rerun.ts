// Names the range of an earlier review so that a new one covers exactly the same.
import { baseName } from "./change.ts";
import type { Review } from "./review.ts";

/** What to ask the VCS for; a review that never got to know its change is asked for in its own words again. */
export function rerunSpec({ change, spec }: Pick<Review, "change" | "spec">): string {
  if (change === undefined) return spec;
  const { head, base, baseReason, vcs } = change;
  // A shelved changelist and a range of revisions are known by what was typed; their names do not move.
  if (vcs !== "git") return spec === "" ? head.display : spec;
  if (base === "empty" || baseReason === "first_parent") return head.canonical;
  return `${baseName(change)}..${head.canonical}`;
}
