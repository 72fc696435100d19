// Answers buttons: the token's row says what it is about; actor and place are checked against it, then it happens once and shows.
import type { ActionCards, ActionRefusal } from "../cards/action-cards.ts";
import { threadSplit } from "../cards/compose-report.ts";
import { fit } from "../cards/fit.ts";
import { type ActionKind, KIND_MUTE_MS, type StoredAction } from "../core/action.ts";
import type { Card } from "../core/card.ts";
import type { Verb } from "../core/command.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { Channel, CommandReply, InboundAction, InboundCommand } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { Authorise } from "./authorise.ts";
import type { ShowFinding } from "./show-finding.ts";
import type { TellAuditors } from "./tell-auditors.ts";
import type { InTurn } from "./turns.ts";

export interface HandleActionPorts {
  readonly store: Pick<
    Store,
    | "action"
    | "review"
    | "report"
    | "deliveriesOf"
    | "findingsByKeys"
    | "dismissFinding"
    | "reopenFinding"
    | "acknowledgeFinding"
    | "muteKind"
  >;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly authorise: Pick<Authorise, "visible" | "roleOf" | "may" | "refused" | "done">;
  /** Re-run is the command `rerun`: its rights, quota and progress are one. */
  readonly command: (inbound: InboundCommand) => Promise<CommandReply | null>;
  readonly cards: ActionCards;
  readonly showFinding: Pick<ShowFinding, "onCard">;
  /** Two people at one card at once: whoever shows it last must know what the other did. */
  readonly inTurn: InTurn;
  readonly tellAuditors: TellAuditors;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Language of what is said where no button's row tells one. */
  readonly defaultLocale: string;
}

export type HandleAction = (inbound: InboundAction) => Promise<void>;

/** Longest reason that is kept, UTF-16 units; the same as by command. */
const MAX_REASON = 500;
/** Presses of one Re-run button within this time are one, ms. */
const RERUN_ONCE_MS = 10_000;

/** The command whose rights a button needs. */
const verbs: Readonly<Record<ActionKind, Verb>> = {
  dismiss: "dismiss",
  reopen: "reopen",
  acknowledge: "findings",
  mute_kind: "mute",
  rerun: "review",
  show_more: "findings",
};

/** A press whose row, place and actor are checked. */
interface Press {
  readonly inbound: InboundAction;
  readonly action: StoredAction;
  readonly channel: Channel;
  /** The name by which people know who pressed. */
  readonly by: string;
}

export function createHandleAction(ports: HandleActionPorts): HandleAction {
  const { store, authorise, cards, inTurn, clock, logger } = ports;

  return async (inbound) => {
    const channel = ports.channels.get(inbound.conversation.channel);
    if (channel === undefined) return;
    const action = await store.action(inbound.token);
    const why = refusalOf(action, inbound);
    const locale = action?.locale ?? ports.defaultLocale;
    if (action === null || why !== null) {
      if (why !== "expired") await audit("refused", inbound, action);
      return tell(channel, inbound, cards.refusal(why ?? "unknown", locale));
    }
    const { person } = inbound;
    try {
      await inTurn(action.message, () => act({ inbound, action, channel, by: person.name ?? person.person }));
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.error("action.failed", { kind: action.kind, message: action.message, error });
      await tell(channel, inbound, cards.failed(locale));
    }
  };

  /** The stored row decides, never what came with the press. */
  function refusalOf(action: StoredAction | null, inbound: InboundAction): ActionRefusal | null {
    if (action === null || !sameWorkspace(action.conversation, inbound.conversation)) return "unknown";
    const isHere = action.conversation.conversation === inbound.conversation.conversation;
    if (!isHere || (action.ref !== undefined && action.ref.message !== inbound.message.message)) return "elsewhere";
    if (action.expiresAt <= clock.now()) return "expired";
    if (!authorise.visible(inbound.conversation).includes(action.repository)) return "refused";
    return authorise.may(authorise.roleOf(inbound), verbs[action.kind]) ? null : "refused";
  }

  function act(press: Press): Promise<void> {
    switch (press.action.kind) {
      case "rerun":
        return rerun(press);
      case "show_more":
        return showMore(press);
      case "dismiss":
        return withFinding(press, (finding) => dismiss(press, finding));
      case "reopen":
        return withFinding(press, (finding) => reopen(press, finding));
      case "acknowledge":
        return withFinding(press, (finding) => acknowledge(press, finding));
      case "mute_kind":
        return withFinding(press, (finding) => muteKind(press, finding));
    }
  }

  async function withFinding(press: Press, run: (finding: StoredFinding) => Promise<void>): Promise<void> {
    const finding = await findingOf(press.action);
    if (finding !== null) return run(finding);
    return tell(press.channel, press.inbound, cards.refusal("finding_gone", press.action.locale));
  }

  async function dismiss(press: Press, finding: StoredFinding): Promise<void> {
    const { inbound, action, channel, by } = press;
    const reason = (inbound.values["reason"] ?? "").trim().slice(0, MAX_REASON);
    if (finding.dismissed === null && reason === "") return askReason(press, finding);
    const outcome = await store.dismissFinding({ finding: finding.id, by, reason, now: clock.now() });
    if (outcome === "dismissed") {
      await audit("done", inbound, action, finding.id);
      await ports.tellAuditors(finding, { kind: "dismissed", by, reason });
    }
    await show(press);
    const standing = outcome === "already" ? ((await findingOf(action)) ?? finding) : finding;
    const isMine = standing.dismissed?.by === by && standing.dismissed.reason === reason;
    // A second click of the same person changes nothing and needs no words.
    if (outcome === "already" && !isMine) await tell(channel, inbound, cards.alreadyDismissed(standing, action.locale));
  }

  async function askReason({ inbound, action, channel }: Press, finding: StoredFinding): Promise<void> {
    const { locale } = action;
    if (!channel.capabilities.forms) return tell(channel, inbound, cards.askByCommand(finding, locale));
    const field = { name: "reason", label: cards.askLabel(locale), multiline: false, required: true };
    await channel.ask(inbound, { title: cards.askTitle(locale), token: action.token, fields: [field] });
  }

  async function reopen(press: Press, finding: StoredFinding): Promise<void> {
    const outcome = await store.reopenFinding(finding.id);
    if (outcome === "reopened") {
      await audit("done", press.inbound, press.action, finding.id);
      await ports.tellAuditors(finding, { kind: "reopened", by: press.by });
    }
    await show(press);
  }

  async function acknowledge(press: Press, finding: StoredFinding): Promise<void> {
    const { inbound, action, by } = press;
    const seen = { finding: finding.id, by: inbound.person, now: clock.now() };
    if ((await store.acknowledgeFinding(seen)) === "acknowledged") {
      await audit("done", inbound, action, finding.id);
      await ports.tellAuditors(finding, { kind: "acknowledged", by });
    }
    await show(press);
  }

  async function muteKind(press: Press, finding: StoredFinding): Promise<void> {
    const { inbound, action, channel, by } = press;
    const { conversation, repository, category = finding.category } = action;
    const now = clock.now();
    const mute = { conversation, repository, category, until: now + KIND_MUTE_MS, by };
    if ((await store.muteKind(mute, now)) === "muted") {
      await audit("done", inbound, action, `${repository} ${category}`);
      await ports.tellAuditors(finding, { kind: "kind_muted", by, category, conversation, until: mute.until });
      await tell(channel, inbound, cards.kindMuted(action, mute.until, action.locale));
    }
    await show(press);
  }

  async function rerun({ inbound, action, channel }: Press): Promise<void> {
    const { conversation, person, roles, groups } = inbound;
    const reply = await ports.command({
      conversation,
      person,
      roles,
      ...(groups === undefined ? {} : { groups }),
      eventId: `${action.token}/${Math.floor(clock.now() / RERUN_ONCE_MS)}`,
      text: `rerun ${action.review}`,
      locale: action.locale,
    });
    if (reply?.page) await tell(channel, inbound, reply.page.card);
  }

  /** A view: it may be asked for again, and whoever asks sees it alone. */
  async function showMore({ inbound, action, channel }: Press): Promise<void> {
    const [review, report] = await Promise.all([store.review(action.review), store.report(action.review)]);
    const owed = (await store.deliveriesOf(action.review)).find(({ id }) => action.message.startsWith(`${id}/`));
    const { leftOut } = report === null ? { leftOut: [] } : threadSplit(report, owed?.facts ?? {});
    const card =
      review === null || leftOut.length === 0
        ? cards.refusal("nothing_more", action.locale)
        : cards.leftOut(review, leftOut, action.locale);
    await tell(channel, inbound, card);
  }

  /** The card as it is now, in its place; where a channel cannot edit, the person is told instead. */
  async function show({ inbound, action, channel }: Press): Promise<void> {
    for (const line of await ports.showFinding.onCard(action, action.ref ?? inbound.message)) {
      await tell(channel, inbound, cards.plain(line), line);
    }
  }

  async function findingOf({ repository, fingerprint }: StoredAction): Promise<StoredFinding | null> {
    if (fingerprint === undefined) return null;
    const [finding] = await store.findingsByKeys(repository, [fingerprint]);
    return finding ?? null;
  }

  /** To the person who pressed, and to nobody else. */
  async function tell(channel: Channel, inbound: InboundAction, card: Card, part = ""): Promise<void> {
    const { conversation, person, message } = inbound;
    const target = {
      conversation,
      onlyFor: person,
      ...(message.thread === undefined ? {} : { thread: message.thread }),
    };
    try {
      const { pages } = fit(card, channel.capabilities.limits, { files: false });
      for (const [index, page] of pages.entries()) {
        await channel.send(target, page, `action/${inbound.eventId}/${part}${index}`);
      }
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn("action.not_told", { conversation: conversation.conversation, error });
    }
  }

  function audit(
    outcome: "refused" | "done",
    { conversation, person, token }: InboundAction,
    action: StoredAction | null,
    object: string = action?.message ?? token.slice(0, 12),
  ): Promise<void> {
    return authorise[outcome](conversation, person.person, `button ${action?.kind ?? "unknown"}`, object);
  }
}

function sameWorkspace(a: ConversationRef, b: ConversationRef): boolean {
  return a.channel === b.channel && a.workspace === b.workspace;
}
