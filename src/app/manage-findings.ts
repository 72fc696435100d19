// Answers commands about findings: list them, dismiss one with a reason, reopen it; and links a person to their VCS user.
import type { FindingCards } from "../cards/finding-cards.ts";
import type { Command } from "../core/command.ts";
import type { MessageRef } from "../core/delivery.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { FindingId } from "../core/ids.ts";
import type { CommandReply } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Authorise } from "./authorise.ts";
import { type CommandContext, nameOf, privately, publicly } from "./command-context.ts";
import type { ShowFinding } from "./show-finding.ts";
import type { TellAuditors } from "./tell-auditors.ts";

export interface FindingCommandsPorts {
  readonly store: Pick<
    Store,
    "findings" | "finding" | "dismissFinding" | "reopenFinding" | "deliveredFindings" | "linkIdentity"
  >;
  readonly authorise: Authorise;
  readonly cards: FindingCards;
  /** The address of a message, where its channel has one. */
  readonly permalink: (ref: MessageRef) => Promise<string | null>;
  /** Absent: nobody keeps an audit. */
  readonly tellAuditors?: TellAuditors;
  /** Absent: cards stay as they are. */
  readonly showFinding?: Pick<ShowFinding, "inConversation">;
  readonly clock: Clock;
}

export interface FindingCommands {
  list(command: Extract<Command, { verb: "findings" }>, context: CommandContext): Promise<CommandReply>;
  dismiss(id: string, reason: string, context: CommandContext): Promise<CommandReply>;
  reopen(id: string, context: CommandContext): Promise<CommandReply>;
  link(user: string, context: CommandContext): Promise<CommandReply>;
}

/** How many findings are listed; the others are counted. */
const LIST_LIMIT = 20;
/** Longest reason that is kept, UTF-16 units. */
const MAX_REASON = 500;

export function createFindingCommands(ports: FindingCommandsPorts): FindingCommands {
  const { store, authorise, cards, clock } = ports;

  return {
    async list({ repository, state }, { inbound, locale }) {
      const { total, findings } = await store.findings({ repository, state, limit: LIST_LIMIT });
      const { conversation } = inbound;
      const fingerprints = findings.map(({ fingerprint }) => fingerprint);
      const shown = await store.deliveredFindings({ conversation, repository, fingerprints });
      const links = new Map<string, string>();
      for (const { fingerprint, ref } of shown) {
        const url = await ports.permalink(ref);
        if (url !== null) links.set(fingerprint, url);
      }
      return privately(cards.list({ repository, state, total, findings, links }, locale));
    },

    async dismiss(id, reason, context) {
      const { inbound, locale } = context;
      const found = await visibleFinding(id, context);
      if (found === null) return refuse("dismiss", id, context);
      const by = nameOf(context);
      const kept = reason.slice(0, MAX_REASON);
      const outcome = await store.dismissFinding({ finding: found.id, by, reason: kept, now: clock.now() });
      if (outcome === "unknown") return refuse("dismiss", id, context);
      if (outcome === "already") return privately(cards.alreadyDismissed(found, locale));
      await authorise.done(inbound.conversation, inbound.person.person, "dismiss", found.id);
      await ports.tellAuditors?.(found, { kind: "dismissed", by, reason: kept });
      await ports.showFinding?.inConversation(found, inbound.conversation);
      return publicly(cards.dismissed(found, { by, reason: kept }, locale));
    },

    async reopen(id, context) {
      const { inbound, locale } = context;
      const found = await visibleFinding(id, context);
      if (found === null) return refuse("reopen", id, context);
      const outcome = await store.reopenFinding(found.id);
      if (outcome === "unknown") return refuse("reopen", id, context);
      if (outcome === "already") return privately(cards.notDismissed(found, locale));
      await authorise.done(inbound.conversation, inbound.person.person, "reopen", found.id);
      await ports.tellAuditors?.(found, { kind: "reopened", by: nameOf(context) });
      await ports.showFinding?.inConversation(found, inbound.conversation);
      return publicly(cards.reopened(found, nameOf(context), locale));
    },

    async link(user, { inbound, locale }) {
      // People can only link themselves: whom the name belongs to is the one who asks.
      const outcome = await store.linkIdentity({ person: inbound.person, user, now: clock.now() });
      const { conversation, person } = inbound;
      if (outcome === "linked") await authorise.done(conversation, person.person, "link", user);
      if (outcome === "taken") await authorise.refused(conversation, person.person, "link", user);
      return privately(cards.linked(user, outcome, locale));
    },
  };

  /** A finding of a repository that this conversation may not see does not exist for it. */
  async function visibleFinding(id: string, { visible }: CommandContext): Promise<StoredFinding | null> {
    const found = isFindingId(id) ? await store.finding(id) : null;
    return found !== null && visible.includes(found.repository) ? found : null;
  }

  async function refuse(verb: string, id: string, { inbound, locale }: CommandContext): Promise<CommandReply> {
    await authorise.refused(inbound.conversation, inbound.person.person, verb, id);
    return privately(cards.refused(id, locale));
  }
}

function isFindingId(id: string): id is FindingId {
  return /^fd_[0-9A-Za-z]+$/u.test(id);
}
