// Ours → native, pure: a page as the chat log keeps it, and messages and reviews as the Web API shows them.
import type { Block, Card, Page } from "../../src/core/card.ts";
import type { Revision } from "../../src/core/change.ts";
import type { Review } from "../../src/core/review.ts";
import type { ChatMessage } from "../../src/ports/store.ts";
import { pageText } from "../kit/plain-text.ts";

/** A message of the Web API. Times are ISO 8601 in UTC. */
export interface ApiMessage {
  readonly id: string;
  /** The root message that this one stands under. */
  readonly thread?: string;
  readonly from: "person" | "bot";
  readonly visibility: "everyone" | "asker";
  readonly text: string;
  readonly card?: Card;
  readonly createdAt: string;
  readonly editedAt?: string;
}

export interface ApiRootMessage extends ApiMessage {
  /** Oldest first. */
  readonly replies: readonly ApiMessage[];
}

/** What the log keeps of a page: its readable text, and the card as JSON. */
export function renderPage(page: Page): { readonly text: string; readonly card: string } {
  const { part, mentions = [] } = page;
  const names = mentions.map(({ name, person }) => `@${name ?? person}`).join(" ");
  const named: Block[] = names === "" ? [] : [{ kind: "text", children: [{ kind: "text", text: names }] }];
  const card: Card = { ...page.card, blocks: [...named, ...page.card.blocks] };
  const titled = part === undefined ? card : { ...card, title: `${card.title} (${part.number}/${part.of})` };
  return { text: pageText(page), card: JSON.stringify(titled) };
}

export function renderMessage(message: ChatMessage): ApiMessage {
  const { id, thread, from, visibility, text, card, createdAt, editedAt } = message;
  return {
    id,
    ...(thread === undefined ? {} : { thread }),
    from,
    visibility,
    text,
    ...(card === undefined ? {} : { card: JSON.parse(card) as Card }),
    createdAt: iso(createdAt),
    ...(editedAt === undefined ? {} : { editedAt: iso(editedAt) }),
  };
}

/** Root messages oldest first, each with its replies; a reply whose root is gone stands by itself. */
export function renderThreads(messages: readonly ChatMessage[]): readonly ApiRootMessage[] {
  const ids = new Set(messages.map(({ id }) => id));
  const replies = new Map<string, ApiMessage[]>();
  const roots: ChatMessage[] = [];
  for (const message of messages) {
    if (message.thread === undefined || !ids.has(message.thread)) {
      roots.push(message);
      continue;
    }
    const siblings = replies.get(message.thread);
    if (siblings === undefined) replies.set(message.thread, [renderMessage(message)]);
    else siblings.push(renderMessage(message));
  }
  return roots.map((root) => ({ ...renderMessage(root), replies: replies.get(root.id) ?? [] }));
}

export function renderReview(review: Review): Readonly<Record<string, unknown>> {
  const { change } = review;
  return {
    id: review.id,
    status: review.status,
    repository: review.repository,
    spec: review.spec,
    agent: review.agent,
    paths: review.paths,
    attempt: review.attempt,
    skipReason: review.skipReason,
    failure: review.failure && {
      code: review.failure.code,
      message: review.failure.message,
      remedy: review.failure.remedy,
    },
    change: change && {
      vcs: change.vcs,
      ref: change.ref,
      isDefaultBranch: change.isDefaultBranch,
      base: change.base === "empty" ? "empty" : renderRevision(change.base),
      baseReason: change.baseReason,
      head: renderRevision(change.head),
    },
    answeredFrom: review.answeredFrom,
    timings: review.timings,
    createdAt: iso(review.createdAt),
    startedAt: review.startedAt === undefined ? undefined : iso(review.startedAt),
    finishedAt: review.finishedAt === undefined ? undefined : iso(review.finishedAt),
  };
}

/** Without e-mail addresses: nobody who reads a review needs them. */
function renderRevision(revision: Revision) {
  return {
    canonical: revision.canonical,
    display: revision.display,
    author: revision.author,
    time: iso(revision.time),
    subject: revision.message.split("\n", 1)[0] ?? "",
    flags: revision.flags,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
