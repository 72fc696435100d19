// Answers commands about reviews: ask for one, see where they stand, call one off, do one again.
import type { CommandCards } from "../cards/command-cards.ts";
import type { Command } from "../core/command.ts";
import type { ReviewId } from "../core/ids.ts";
import { rerunSpec } from "../core/rerun.ts";
import type { Review } from "../core/review.ts";
import type { CommandReply } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { AcceptChange, ChangeRequest } from "./accept-change.ts";
import type { Authorise } from "./authorise.ts";
import { type CommandContext, privately } from "./command-context.ts";
import type { TakeQuota } from "./quota.ts";
import type { ShowProgress } from "./show-progress.ts";

/** What commands need to know of a repository. */
export interface RepositoryFacts {
  readonly alias: string;
  readonly vcs: string;
  readonly agent: string;
}

export interface ReviewCommandsPorts {
  readonly acceptChange: AcceptChange;
  readonly authorise: Authorise;
  readonly quota: TakeQuota;
  readonly progress: ShowProgress;
  readonly store: Pick<Store, "review" | "reviews" | "queue" | "cancelReview">;
  readonly cards: CommandCards;
  readonly clock: Clock;
  readonly repositories: readonly RepositoryFacts[];
  /** Names of the configured agents; the first is the default. */
  readonly agents: readonly string[];
  /** Tells the workers that there is something to do. */
  readonly wake: () => void;
}

export interface ReviewCommands {
  review(command: Extract<Command, { verb: "review" }>, context: CommandContext): Promise<CommandReply>;
  status(id: string | undefined, context: CommandContext): Promise<CommandReply>;
  cancel(id: string, context: CommandContext): Promise<CommandReply>;
  rerun(id: string, context: CommandContext): Promise<CommandReply>;
}

/** How many reviews `status` lists. */
const STATUS_LIMIT = 10;

export function createReviewCommands(ports: ReviewCommandsPorts): ReviewCommands {
  const { authorise, cards, clock, store } = ports;

  return {
    async review(command, context) {
      const configured = ports.repositories.find(({ alias }) => alias === command.repository);
      const agent = command.agent ?? configured?.agent ?? ports.agents[0] ?? "checks";
      if (!ports.agents.includes(agent)) return privately(cards.unknownAgent(agent, ports.agents, context.locale));
      return accept({ repository: command.repository, spec: command.rev, agent, paths: command.paths }, context);
    },

    async status(id, context) {
      const { inbound, visible, locale } = context;
      const queue = await store.queue(clock.now());
      if (id === undefined) {
        const recent = await store.reviews({ conversation: inbound.conversation, limit: STATUS_LIMIT });
        const seen = recent.filter(({ repository }) => visible.includes(repository));
        return privately(cards.status(seen, queue, locale));
      }
      const found = await visibleReview(id, context);
      if (found === null) return refuse("status", id, context);
      return privately(cards.status([found], queue, locale));
    },

    async cancel(id, context) {
      const found = await changeable("cancel", id, context);
      if (found === null) return refuse("cancel", id, context);
      const outcome = await store.cancelReview(found.id, clock.now());
      if (outcome === "unknown") return refuse("cancel", id, context);
      if (outcome !== "finished") {
        await authorise.done(context.inbound.conversation, context.inbound.person.person, "cancel", found.id);
        await ports.progress.note(found.id, { kind: "cancelled" });
      }
      return privately(cards.cancelled(found.id, outcome, context.locale));
    },

    async rerun(id, context) {
      const found = await changeable("rerun", id, context);
      if (found === null) return refuse("rerun", id, context);
      const { repository, agent, paths } = found;
      if (!ports.agents.includes(agent)) return privately(cards.unknownAgent(agent, ports.agents, context.locale));
      return accept({ repository, spec: rerunSpec(found), agent, paths, rerunOf: found.id }, context);
    },
  };

  async function accept(
    request: Pick<ChangeRequest, "repository" | "spec" | "agent" | "paths" | "rerunOf">,
    { inbound, locale, role }: CommandContext,
  ): Promise<CommandReply> {
    const { conversation, person, thread } = inbound;
    const quota = ports.quota({ conversation, person, role });
    if (!quota.granted) return privately(cards.overQuota(quota, locale));
    const accepted = await ports.acceptChange({
      ...request,
      locale,
      requester: { kind: "person", conversation, person, ...(thread === undefined ? {} : { thread }) },
      source: `${conversation.channel}:${conversation.workspace}`,
      eventId: inbound.eventId,
    });
    if (accepted.review === null) return { page: null, visibility: "asker" };
    if (accepted.outcome !== "duplicate") {
      await ports.progress.open(accepted.review);
      ports.wake();
    }
    return { page: null, visibility: "asker", reviewId: accepted.review };
  }

  /** A review of a repository that this conversation may not see does not exist for it. */
  async function visibleReview(id: string, { visible }: CommandContext): Promise<Review | null> {
    const found = isReviewId(id) ? await store.review(id) : null;
    return found !== null && visible.includes(found.repository) ? found : null;
  }

  async function changeable(verb: "cancel" | "rerun", id: string, context: CommandContext): Promise<Review | null> {
    const found = await visibleReview(id, context);
    if (found === null) return null;
    return authorise.may(context.role, verb, isOwn(found, context)) ? found : null;
  }

  async function refuse(verb: string, id: string, { inbound, locale }: CommandContext): Promise<CommandReply> {
    await authorise.refused(inbound.conversation, inbound.person.person, verb, id);
    return privately(cards.refused(id, locale));
  }
}

function isOwn({ requester }: Review, { inbound }: CommandContext): boolean {
  if (requester.kind !== "person") return false;
  const { channel, workspace, person } = requester.person;
  const asker = inbound.person;
  return channel === asker.channel && workspace === asker.workspace && person === asker.person;
}

function isReviewId(id: string): id is ReviewId {
  return /^rv_[0-9A-Za-z]+$/u.test(id);
}
