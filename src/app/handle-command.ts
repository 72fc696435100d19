// Answers what people type: parse, find the language, authorise, then leave the answer to the verb's own use case.
import type { CommandCards } from "../cards/command-cards.ts";
import { type Command, type ParsedCommand, parseCommand } from "../core/command.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { CommandReply, InboundCommand } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Authorise } from "./authorise.ts";
import { type CommandContext, privately } from "./command-context.ts";
import type { ExplainSilence } from "./explain-silence.ts";
import type { FindingCommands } from "./manage-findings.ts";
import type { SubscriptionCommands } from "./manage-subscriptions.ts";
import type { RepositoryFacts, ReviewCommands } from "./review-commands.ts";

/** Answers one verb. */
export type AnswerCommand<C> = (command: C, context: CommandContext) => Promise<CommandReply>;

export interface HandleCommandPorts {
  readonly authorise: Authorise;
  readonly store: Pick<Store, "seeConversation">;
  readonly cards: CommandCards;
  readonly reviews: ReviewCommands;
  readonly subscriptions: SubscriptionCommands;
  readonly findings: FindingCommands;
  readonly why: ExplainSilence;
  /** Verbs that are answered only where somebody answers them; else they do not exist. */
  readonly explain?: AnswerCommand<Extract<Command, { verb: "why" | "explain" }>>;
  readonly digest?: AnswerCommand<Extract<Command, { verb: "digest" }>>;
  readonly dashboard?: AnswerCommand<Command>;
  /** The language that a conversation was given by its subscriptions, or null. */
  readonly localeOf: (conversation: ConversationRef) => Promise<string | null>;
  readonly clock: Clock;
  readonly repositories: readonly RepositoryFacts[];
  /** Language of conversations that have said nothing else. */
  readonly defaultLocale: string;
}

export type HandleCommand = (inbound: InboundCommand) => Promise<CommandReply | null>;

/** Conversations that are remembered as noted, so that a command writes nothing that is known. */
const MAX_SEEN = 10_000;

export function createHandleCommand(ports: HandleCommandPorts): HandleCommand {
  const { authorise, cards } = ports;
  const seen = new Set<string>();

  return async (inbound) => {
    await noteConversation(inbound);
    const visible = authorise.visible(inbound.conversation);
    const parsed = parseCommand(inbound.text, visible);
    const locale = await localeFor(inbound, parsed);
    const context: CommandContext = { inbound, visible, locale, role: authorise.roleOf(inbound) };
    if (!parsed.ok) {
      if (parsed.reason === "unknown_word") await auditHidden(parsed.word, context);
      return privately(cards.mistake(parsed, locale));
    }
    const { command } = parsed;
    // Whose review it is decides about these two, once it is known which one it is.
    const isLater = command.verb === "cancel" || command.verb === "rerun";
    if (!isLater && !authorise.may(context.role, command.verb)) return refuse(command.verb, context);
    return run(parsed, context);
  };

  async function run(parsed: Extract<ParsedCommand, { ok: true }>, context: CommandContext): Promise<CommandReply> {
    const { command, language } = parsed;
    const { reviews, subscriptions, findings } = ports;
    switch (command.verb) {
      case "help":
        return privately(cards.help(context.locale));
      case "repos": {
        const listed = ports.repositories.filter(({ alias }) => context.visible.includes(alias));
        return privately(cards.repositories(listed, context.locale));
      }
      case "review":
        return reviews.review(command, context);
      case "status":
        return reviews.status(command.review, context);
      case "cancel":
        return reviews.cancel(command.review, context);
      case "rerun":
        return reviews.rerun(command.review, context);
      case "subscribe":
        return subscriptions.subscribe(command, language, context);
      case "unsubscribe":
        return subscriptions.unsubscribe(command.repository, context);
      case "subscriptions":
        return subscriptions.list(context);
      case "mute":
        return subscriptions.mute(command, context);
      case "unmute":
        return subscriptions.unmute(command.repository, context);
      case "findings":
        return findings.list(command, context);
      case "dismiss":
        return findings.dismiss(command.finding, command.reason, context);
      case "reopen":
        return findings.reopen(command.finding, context);
      case "link":
        return findings.link(command.user, context);
      case "why":
        return ports.why(command, context);
      case "explain":
        return ports.explain === undefined ? unanswered(command, context) : ports.explain(command, context);
      case "digest":
        return ports.digest === undefined ? unanswered(command, context) : ports.digest(command, context);
      case "dashboard":
        return ports.dashboard === undefined ? unanswered(command, context) : ports.dashboard(command, context);
    }
  }

  function unanswered({ verb }: Command, { locale }: CommandContext): CommandReply {
    return privately(cards.mistake({ ok: false, reason: "unknown_word", word: verb, nearest: "help" }, locale));
  }

  /** What was asked for in this command, what the conversation was given, what the person's client says, the installation's. */
  async function localeFor(inbound: InboundCommand, parsed: ParsedCommand): Promise<string> {
    if (parsed.ok && parsed.language !== undefined) return parsed.language;
    return (await ports.localeOf(inbound.conversation)) ?? inbound.locale ?? ports.defaultLocale;
  }

  async function noteConversation({ conversation, locale }: InboundCommand): Promise<void> {
    const { channel, workspace, conversation: name } = conversation;
    const key = JSON.stringify([channel, workspace, name, locale]);
    if (seen.has(key)) return;
    await ports.store.seeConversation(conversation, locale === undefined ? {} : { locale }, ports.clock.now());
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.add(key);
  }

  async function refuse(verb: string, { inbound, locale }: CommandContext): Promise<CommandReply> {
    await authorise.refused(inbound.conversation, inbound.person.person, verb, inbound.text);
    return privately(cards.refused(verb, locale));
  }

  /** Asking for a repository that exists but may not be seen here is answered like any unknown word, and noted. */
  async function auditHidden(word: string, { inbound, visible }: CommandContext): Promise<void> {
    const named = ports.repositories.find(({ alias }) => alias.toLowerCase() === word.toLowerCase());
    if (named === undefined || visible.includes(named.alias)) return;
    await authorise.refused(inbound.conversation, inbound.person.person, "see", named.alias);
  }
}
