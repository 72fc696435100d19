// Answers what people type: parse, authorise, then answer at once or put a review into the queue.
import type { CommandCards } from "../cards/command-cards.ts";
import type { Card } from "../core/card.ts";
import { type Command, parseCommand } from "../core/command.ts";
import type { CommandReply, InboundCommand } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { AcceptChange } from "./accept-change.ts";
import type { Authorise } from "./authorise.ts";
import type { ShowProgress } from "./show-progress.ts";

/** What `repos` tells of a repository. */
export interface RepositoryFacts {
  readonly alias: string;
  readonly vcs: string;
  readonly agent: string;
}

export interface HandleCommandPorts {
  readonly acceptChange: AcceptChange;
  readonly authorise: Authorise;
  readonly progress: ShowProgress;
  readonly store: Pick<Store, "review" | "reviews" | "queue" | "seeConversation">;
  readonly cards: CommandCards;
  readonly clock: Clock;
  readonly repositories: readonly RepositoryFacts[];
  /** Names of the configured agents; the first is the default. */
  readonly agents: readonly string[];
  /** Language of conversations that have said nothing else. */
  readonly defaultLocale: string;
  /** Tells the workers that there is something to do. */
  readonly wake: () => void;
}

export type HandleCommand = (inbound: InboundCommand) => Promise<CommandReply | null>;

/** How many reviews `status` lists. */
const STATUS_LIMIT = 10;

export function createHandleCommand(ports: HandleCommandPorts): HandleCommand {
  const { authorise, cards, clock, store } = ports;

  return async (inbound) => {
    const locale = inbound.locale ?? ports.defaultLocale;
    await store.seeConversation(inbound.conversation, { locale }, clock.now());
    const visible = authorise.visible(inbound.conversation);
    const parsed = parseCommand(inbound.text, visible);
    if (!parsed.ok) {
      if (parsed.reason === "unknown_word") await auditHidden(inbound, parsed.word, visible);
      return answer(cards.mistake(parsed, locale));
    }
    return run(parsed.command, inbound, visible, locale);
  };

  async function run(
    command: Command,
    inbound: InboundCommand,
    visible: readonly string[],
    locale: string,
  ): Promise<CommandReply | null> {
    switch (command.verb) {
      case "help":
        return answer(cards.help(locale));
      case "repos":
        return answer(
          cards.repositories(
            ports.repositories.filter(({ alias }) => visible.includes(alias)),
            locale,
          ),
        );
      case "status":
        return status(command.review, inbound, visible, locale);
      case "review":
        return review(command, inbound, locale);
      default:
        return answer(
          cards.mistake({ ok: false, reason: "unknown_word", word: command.verb, nearest: "help" }, locale),
        );
    }
  }

  async function status(
    id: string | undefined,
    inbound: InboundCommand,
    visible: readonly string[],
    locale: string,
  ): Promise<CommandReply> {
    const queue = await store.queue(clock.now());
    if (id === undefined) {
      const recent = await store.reviews({ conversation: inbound.conversation, limit: STATUS_LIMIT });
      return answer(cards.status(recent, queue, locale));
    }
    const found = isReviewId(id) ? await store.review(id) : null;
    // A review of a repository that this conversation may not see does not exist for it.
    if (found === null || !visible.includes(found.repository)) return answer(cards.unknownReview(id, locale));
    return answer(cards.status([found], queue, locale));
  }

  async function review(
    command: Extract<Command, { verb: "review" }>,
    inbound: InboundCommand,
    locale: string,
  ): Promise<CommandReply> {
    const configured = ports.repositories.find(({ alias }) => alias === command.repository);
    const agent = command.agent ?? configured?.agent ?? ports.agents[0] ?? "checks";
    if (!ports.agents.includes(agent)) return answer(cards.unknownAgent(agent, ports.agents, locale));
    const { conversation, person, thread } = inbound;
    const accepted = await ports.acceptChange({
      repository: command.repository,
      spec: command.rev,
      agent,
      paths: command.paths,
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

  /** Asking for a repository that exists but may not be seen here is answered like any unknown word, and noted. */
  async function auditHidden(inbound: InboundCommand, word: string, visible: readonly string[]): Promise<void> {
    if (visible.includes(word) || !ports.repositories.some(({ alias }) => alias === word)) return;
    await authorise.refused(inbound.conversation, inbound.person.person, "review", word);
  }

  function answer(card: Card): CommandReply {
    return { page: { card }, visibility: "asker" };
  }
}

function isReviewId(id: string): id is `rv_${string}` {
  return /^rv_[0-9A-Za-z]+$/u.test(id);
}
