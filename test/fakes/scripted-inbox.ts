// A core for channel and page tests: it answers commands from a script, and posts what a review would through the channel.
import type { Card, Page } from "../../src/core/card.ts";
import type {
  Channel,
  CommandReply,
  InboundAction,
  InboundCommand,
  InboundHome,
  InboundLifecycle,
  Inbox,
} from "../../src/ports/channel.ts";

export interface ScriptedInbox extends Inbox {
  readonly commands: InboundCommand[];
  readonly actions: InboundAction[];
  readonly homes: InboundHome[];
  readonly lifecycles: InboundLifecycle[];
}

export type Answer = (inbound: InboundCommand) => CommandReply | null | Promise<CommandReply | null>;

export function createScriptedInbox(answer: Answer = () => null, suggestions: readonly string[] = []): ScriptedInbox {
  const commands: InboundCommand[] = [];
  const actions: InboundAction[] = [];
  const homes: InboundHome[] = [];
  const lifecycles: InboundLifecycle[] = [];
  return {
    commands,
    actions,
    homes,
    lifecycles,
    async command(inbound) {
      commands.push(inbound);
      return answer(inbound);
    },
    async action(inbound) {
      actions.push(inbound);
    },
    suggest: async ({ text }) => suggestions.filter((line) => line.startsWith(text)),
    async home(inbound) {
      homes.push(inbound);
      return plainPage(`The home of ${inbound.person.person}`);
    },
    async lifecycle(inbound) {
      lifecycles.push(inbound);
    },
  };
}

export function plainCard(title: string, changes: Partial<Card> = {}): Card {
  return { title, tone: "neutral", fallback: title, blocks: [], ...changes };
}

export function plainPage(title: string, changes: Partial<Card> = {}): Page {
  return { card: plainCard(title, changes) };
}

/** Posts what a review with problems posts: the private progress, its edits, the root card and its thread. */
export async function playReview(
  channel: Channel,
  inbound: InboundCommand,
  cards: { readonly steps: readonly Card[]; readonly root: Card; readonly replies: readonly Card[] },
): Promise<void> {
  const { conversation, person, eventId } = inbound;
  const [first, ...rest] = cards.steps;
  if (first !== undefined) {
    const progress = await channel.send({ conversation, onlyFor: person }, { card: first }, `${eventId}/progress`);
    for (const card of rest) await channel.edit(progress, { card });
  }
  const root = await channel.send({ conversation }, { card: cards.root }, `${eventId}/0`);
  for (const [index, card] of cards.replies.entries()) {
    await channel.send({ conversation, thread: root.message }, { card }, `${eventId}/${index + 1}`);
  }
}
