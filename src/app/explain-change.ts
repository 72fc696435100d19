// Answers which subscriptions a change matches, and why not the others, once the change is fetched; nothing is reviewed.
import { composeExplanation, type ExplainedSubscription } from "../cards/compose-explanation.ts";
import { composeFailure } from "../cards/compose-failure.ts";
import { composeNote } from "../cards/compose-note.ts";
import type { Card } from "../core/card.ts";
import type { ConversationRef, PersonRef } from "../core/delivery.ts";
import { AppError, toAppError } from "../core/errors.ts";
import { branchOf, matchFilters } from "../core/subscription-match.ts";
import type { Channel, CommandReply } from "../ports/channel.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { Logger } from "../ports/logger.ts";
import type { Texts } from "../ports/texts.ts";
import type { Vcs } from "../ports/vcs.ts";
import { type CommandContext, privately } from "./command-context.ts";

/** How long fetching the change may take, ms. */
const DEADLINE_MS = 120_000;

export interface ExplainRequest {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly thread?: string;
  /** The platform's id of the command. */
  readonly eventId: string;
  readonly repository: string;
  readonly rev: string;
  readonly locale: string;
}

export interface ExplainPorts {
  readonly vcs: ReadonlyMap<string, Vcs>;
  readonly subscriptions: Subscriptions;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly texts: Texts;
  readonly logger: Logger;
}

export interface Explaining {
  /** What the asker is told at once. */
  readonly first: Card;
  /** Resolves when the answer was sent, or could not be; never rejects. */
  readonly answered: Promise<void>;
}

export type ExplainChange = (request: ExplainRequest) => Explaining;

export function createExplainChange({ vcs, subscriptions, channels, texts, logger }: ExplainPorts): ExplainChange {
  return (request) => ({
    first: composeNote({ texts, locale: request.locale }, "explain.started", namesOf(request)),
    answered: answer(request),
  });

  async function answer(request: ExplainRequest): Promise<void> {
    const card = await explain(request).catch((thrown: unknown) =>
      composeFailure({
        texts,
        failure: toAppError(thrown),
        locale: request.locale,
        channel: request.conversation.channel,
      }),
    );
    try {
      const { conversation, person, thread, eventId } = request;
      const target = { conversation, onlyFor: person, ...(thread === undefined ? {} : { thread }) };
      await channels.get(conversation.channel)?.send(target, { card }, `explain/${eventId}`);
    } catch (thrown) {
      // The person asks again; nothing depends on this answer.
      logger.warn("explain.unsent", { error: toAppError(thrown).message, repository: request.repository });
    }
  }

  async function explain(request: ExplainRequest): Promise<Card> {
    const adapter = vcs.get(request.repository);
    if (adapter === undefined) {
      throw new AppError("not_found", `There is no repository ${request.repository}.`, {
        remedy: "Say `repos` to see the repositories.",
        reason: "unknown_repository",
        params: { repository: request.repository },
      });
    }
    const change = await adapter.resolve({ spec: request.rev }, { deadlineMs: DEADLINE_MS });
    const { files } = await adapter.listChanges(change, { deadlineMs: DEADLINE_MS });
    const subscribed = await subscriptions.of(request.repository);
    const explained = subscribed.map(({ conversation, filters, mode }): ExplainedSubscription => {
      const match = matchFilters(filters, change, files);
      return { conversation, mode, verdict: match.matches ? "matches" : match.reason };
    });
    return composeExplanation(
      { texts, locale: request.locale },
      {
        repository: request.repository,
        revision: change.head.display,
        branch: branchOf(change.ref),
        author: change.head.author,
        files: files.length,
        subscriptions: explained,
      },
    );
  }
}

/** As a command: the note at once, and the answer by itself once the change is fetched. */
export function answerExplain(
  explain: ExplainChange,
): (command: { readonly repository: string; readonly rev: string }, context: CommandContext) => Promise<CommandReply> {
  return async ({ repository, rev }, { inbound, locale }) => {
    const { conversation, person, thread, eventId } = inbound;
    const where = { conversation, person, ...(thread === undefined ? {} : { thread }) };
    return privately(explain({ ...where, eventId, repository, rev, locale }).first);
  };
}

function namesOf({ repository, rev }: ExplainRequest): { repository: string; spec: string } {
  return { repository, spec: rev === "" ? "HEAD" : rev };
}
