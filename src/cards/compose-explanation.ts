// Composes the answer to `explain`: which subscriptions a change matches, and what stands in the way of the others.
import type { Block, Card } from "../core/card.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { SubscriptionMode } from "../core/subscription.ts";
import { type ComposeNoteInput, composeNote } from "./compose-note.ts";

export interface ExplainedSubscription {
  readonly conversation: ConversationRef;
  readonly mode: SubscriptionMode;
  /** `matches`, or the first filter that does not. */
  readonly verdict: "matches" | "branch" | "author" | "path";
}

export interface Explanation {
  readonly repository: string;
  /** The head's short name. */
  readonly revision: string;
  readonly branch: string;
  readonly author: string;
  /** How many files changed. */
  readonly files: number;
  readonly subscriptions: readonly ExplainedSubscription[];
}

/** Matching ones come first; the order is otherwise kept. */
export function composeExplanation(input: ComposeNoteInput, explanation: Explanation): Card {
  const { repository, revision, branch, author, files, subscriptions } = explanation;
  const matching = subscriptions.filter(({ verdict }) => verdict === "matches");
  const others = subscriptions.filter(({ verdict }) => verdict !== "matches");
  const card = composeNote(
    { ...input, tone: matching.length > 0 ? "info" : "neutral" },
    subscriptions.length === 0 ? "explain.nobody" : "explain.summary",
    { repository, revision, branch, author, files, n: matching.length, total: subscriptions.length },
  );
  if (subscriptions.length === 0) return card;
  const items = [...matching, ...others].map((one): readonly Block[] => {
    const line = composeNote(input, `explain.${one.verdict}`, {
      place: `${one.conversation.channel}:${one.conversation.conversation}`,
      mode: one.mode,
      branch,
      author,
      files,
    });
    return [{ kind: "text", children: [{ kind: "text", text: line.title }] }];
  });
  return { ...card, blocks: [...card.blocks, { kind: "list", ordered: false, items }] };
}
