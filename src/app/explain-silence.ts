// Answers `why`: which reviews a change had, and what was decided for this conversation in each of them.
import type { SilenceAnswer, SilenceCard, SilenceLine } from "../cards/silence-cards.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { Review } from "../core/review.ts";
import { matchFilters } from "../core/subscription-match.ts";
import type { CommandReply } from "../ports/channel.ts";
import type { Store } from "../ports/store.ts";
import { type CommandContext, privately } from "./command-context.ts";
import type { ListedSubscription, SubscriptionDirectory } from "./subscription-directory.ts";

export interface ExplainSilencePorts {
  readonly store: Pick<Store, "reviews" | "reviewsOfHead" | "report" | "deliveriesOf" | "pushOutcomes">;
  readonly directory: SubscriptionDirectory;
  /** The full name of a revision, or null where the VCS does not say within a command's time. */
  readonly resolveHead: (repository: string, rev: string) => Promise<string | null>;
  readonly card: SilenceCard;
}

export type ExplainSilence = (
  command: { readonly repository: string; readonly rev: string },
  context: CommandContext,
) => Promise<CommandReply>;

/** Reviews that are shown; the newest tell why it is silent now. */
const SHOWN_REVIEWS = 5;
/** How many of the newest reviews are searched for what was typed, where no head is known by it. */
const SEARCHED_REVIEWS = 100;

export function createExplainSilence({ store, directory, resolveHead, card }: ExplainSilencePorts): ExplainSilence {
  return async ({ repository, rev }, { inbound, locale }) => {
    const { conversation } = inbound;
    const { reviews, head } = await find(repository, rev);
    const listed = await directory.in(conversation);
    const subscribed = listed.filter(({ subscription }) => subscription.repository === repository);
    const shown = reviews.filter((review) => isHeardHere(review, conversation)).slice(0, SHOWN_REVIEWS);
    const explained: SilenceAnswer["reviews"][number][] = [];
    for (const review of shown) {
      const lines = await linesOf(review, conversation, subscribed);
      const notes = (await store.report(review.id))?.notes ?? [];
      explained.push({ review, lines, ...(notes.length === 0 ? {} : { notes }) });
    }
    const outcomes = head === null ? [] : await store.pushOutcomes(repository, head);
    const pushes = outcomes.flatMap(({ source, reason }) => (reason === undefined ? [] : [{ source, reason }]));
    const timeZone = subscribed.find(({ subscription }) => subscription.timeZone !== undefined)?.subscription.timeZone;
    return privately(card({ repository, rev, reviews: explained, pushes, timeZone: timeZone ?? "UTC" }, locale));
  };

  /** By what the store knows, which is at once; else by what the VCS says; else by the words of earlier requests. */
  async function find(
    repository: string,
    rev: string,
  ): Promise<{ readonly reviews: readonly Review[]; readonly head: string | null }> {
    const typed = rev.replace(/^[@r](?=\d+$)/u, "").toLowerCase();
    const isPrefix = /^[0-9a-f]{7,64}$/u.test(typed) && !/^\d+$/u.test(typed);
    const begun = { repository, head: typed, isPrefix, limit: SHOWN_REVIEWS * 2 };
    const byHead = await store.reviewsOfHead(begun);
    if (byHead.length > 0) return { reviews: byHead, head: byHead[0]?.change?.head.canonical ?? null };
    const head = await resolveHead(repository, rev);
    if (head !== null) {
      const resolved = await store.reviewsOfHead({ ...begun, head, isPrefix: false });
      return { reviews: resolved, head };
    }
    const newest = await store.reviews({ repository, limit: SEARCHED_REVIEWS });
    return { reviews: newest.filter((review) => isNamed(review, rev)), head: null };
  }

  async function linesOf(
    review: Review,
    conversation: ConversationRef,
    subscribed: readonly ListedSubscription[],
  ): Promise<readonly SilenceLine[]> {
    const deliveries = await store.deliveriesOf(review.id);
    const here = deliveries.filter(({ target }) => isSame(target.conversation, conversation));
    if (here.length > 0) {
      return here.map(({ kind, state, reason, dueAt }) => ({
        kind: "delivery",
        delivery: kind,
        state,
        ...(reason === undefined ? {} : { reason }),
        ...(dueAt === undefined ? {} : { dueAt }),
      }));
    }
    const isUndecided = review.status === "queued" || review.status === "running";
    if (isUndecided || review.requester.kind === "person") return [];
    if (subscribed.length === 0) return [{ kind: "not_subscribed" }];
    return subscribed.map(({ subscription }) => filterLine(review, subscription.filters));
  }
}

function filterLine({ change }: Review, filters: Parameters<typeof matchFilters>[0]): SilenceLine {
  if (change === undefined) return { kind: "undecided" };
  const match = matchFilters(filters, change, change.files ?? []);
  return match.matches ? { kind: "undecided" } : { kind: "filtered", by: match.reason };
}

/** What a person asked for elsewhere is nothing that this conversation is told of. */
function isHeardHere({ requester }: Review, conversation: ConversationRef): boolean {
  return requester.kind === "feed" || isSame(requester.conversation, conversation);
}

function isNamed({ spec, change }: Review, rev: string): boolean {
  if (spec === rev || change?.head.display === rev) return true;
  return change !== undefined && (change.ref === rev || change.ref.endsWith(`/${rev}`));
}

function isSame(a: ConversationRef, b: ConversationRef): boolean {
  return a.channel === b.channel && a.workspace === b.workspace && a.conversation === b.conversation;
}
