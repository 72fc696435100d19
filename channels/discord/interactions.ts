// Answers interactions: each is acknowledged before anything is looked up, done once, and handed to the core.
import { composeNote } from "../../src/cards/compose-note.ts";
import { localeNamed } from "../../src/core/locale.ts";
import type { Inbox } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Texts } from "../../src/ports/texts.ts";
import { settleAfter } from "../kit/settle-after.ts";
import type { Acknowledged, FirstAnswer } from "./client.ts";
import { type CommandNames, commandLine, completion, givenCommand } from "./command-line.ts";
import { formValues } from "./form-values.ts";
import { type Actor, type ActorRules, actorOf, inboundAction, inboundCommand, readCustomId } from "./inbound.ts";
import {
  type ActedInteraction,
  type AutocompleteInteraction,
  type CommandInteraction,
  type FormInteraction,
  madeAt,
  type PressInteraction,
  readInteraction,
} from "./interaction.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import { pause } from "./pause.ts";
import type { Presses } from "./presses.ts";
import type { Replies } from "./replies.ts";

/** How the first answer reaches Discord: by a call, or as the answer to the request that brought the interaction. */
export type Acknowledge = (
  interaction: Pick<ActedInteraction, "id" | "token">,
  answer: FirstAnswer,
) => Promise<Acknowledged>;

export interface InteractionsPorts {
  readonly names: CommandNames;
  readonly rules: ActorRules;
  /** The only guilds where people are answered; empty: all. */
  readonly guilds: readonly string[];
  readonly interactions: OpenInteractions;
  readonly presses: Presses;
  readonly replies: Replies;
  readonly store: Pick<ChannelStore, "claimEvent" | "settleEvent" | "releaseEvent">;
  readonly texts: () => Promise<Texts>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Interactions {
  /** Settles when the interaction is done with. Never throws. */
  handle(payload: unknown, inbox: Inbox, acknowledge: Acknowledge): Promise<void>;
}

/** How long suggestions may take, of Discord's three seconds, ms. */
const SUGGEST_MS = 2_000;
/** An event that was claimed so long ago and never settled may be claimed again, ms. */
const TAKE_OVER_MS = 61_000;
const deferral: FirstAnswer = { kind: "defer", isPrivate: true };

export function createInteractions(ports: InteractionsPorts): Interactions {
  const { names, rules, interactions, presses, replies, store, clock, logger } = ports;

  return {
    async handle(payload, inbox, acknowledge) {
      const interaction = readInteraction(payload);
      if (interaction === null) return logger.warn("discord.interaction_unreadable");
      if (interaction.type === 1) return;
      const answer = (given: FirstAnswer): Promise<Acknowledged> => tell(interaction, given, acknowledge);
      try {
        if (interaction.type === 2) await command(interaction, inbox, answer);
        else if (interaction.type === 4) await suggest(interaction, inbox, answer);
        else await press(interaction, inbox, answer);
      } catch (thrown) {
        logger.error("discord.interaction_failed", { interaction: interaction.id, error: messageOf(thrown) });
      }
    },
  };

  type Answer = (answer: FirstAnswer) => Promise<Acknowledged>;

  /** Never throws: what is asked is done whether Discord takes the acknowledgement or not. */
  async function tell(
    { id, token }: ActedInteraction,
    answer: FirstAnswer,
    acknowledge: Acknowledge,
  ): Promise<Acknowledged> {
    const about = { interaction: id, answer: answer.kind };
    try {
      const taken = await acknowledge({ id, token }, answer);
      if (taken === "too_late") logger.warn("discord.acknowledged_late", { ...about, ageMs: clock.now() - madeAt(id) });
      if (taken === "already") {
        logger.warn("discord.acknowledged_twice", { ...about, hint: "is another process running with this token?" });
      }
      return taken;
    } catch (thrown) {
      logger.warn("discord.not_acknowledged", { ...about, error: messageOf(thrown) });
      return "too_late";
    }
  }

  async function command(interaction: CommandInteraction, inbox: Inbox, answer: Answer): Promise<void> {
    const taken = await answer(deferral);
    const actor = actorOf(interaction, rules);
    if (actor === null) return;
    const open = taken === "too_late" ? null : opened(interaction, actor, "private");
    const asked = { eventId: interaction.id, actor };
    const given = givenCommand(interaction.data, names);
    try {
      await once(interaction, async () => {
        if (!isServed(actor)) return replies.show(await note("discord.elsewhere", actor), asked, open);
        if (given === null) return replies.show(await note("discord.stale", actor), asked, open);
        const reply = await inbox.command(inboundCommand(interaction, actor, commandLine(given)));
        return replies.show(reply, asked, open);
      });
    } catch (thrown) {
      await replies.show(await note("discord.failed", actor), asked, open);
      throw thrown;
    }
  }

  async function press(interaction: PressInteraction | FormInteraction, inbox: Inbox, answer: Answer): Promise<void> {
    const button = readCustomId(interaction.data.custom_id);
    const actor = actorOf(interaction, rules, button?.origin);
    const values = interaction.type === 5 ? formValues(interaction) : {};
    const action = button === null || actor === null ? null : inboundAction(interaction, actor, button.token, values);
    if (actor === null || action === null || !isServed(actor)) {
      const taken = await answer({ kind: "defer_update" });
      if (actor === null || taken === "too_late") return;
      const why = isServed(actor) ? "action.unknown" : "discord.elsewhere";
      const asked = { eventId: interaction.id, actor };
      return replies.show(await note(why, actor), asked, opened(interaction, actor, "none"));
    }
    const { conversation, person } = actor;
    const origin = button?.origin === undefined ? {} : { origin: button.origin };
    const pressed = { eventId: interaction.id, conversation, person, answer: answerPress, ...origin };
    await presses.during(pressed, () => once(interaction, () => inbox.action(action)));

    async function answerPress(given: FirstAnswer): Promise<Acknowledged> {
      const taken = await answer(given);
      if (actor !== null && given.kind !== "form" && taken !== "too_late") opened(interaction, actor, "none");
      return taken;
    }
  }

  async function suggest(interaction: AutocompleteInteraction, inbox: Inbox, answer: Answer): Promise<void> {
    const actor = actorOf(interaction, rules);
    const given = givenCommand(interaction.data, names);
    const wanted = given === null ? null : completion(given);
    const values =
      actor === null || wanted === null || !isServed(actor)
        ? []
        : wanted.valuesOf(await soon(inbox.suggest(inboundCommand(interaction, actor, wanted.line))));
    await answer({ kind: "choices", choices: values.map((value) => ({ name: value, value })) });
  }

  /** Nothing rather than nothing in time. */
  async function soon(suggesting: Promise<readonly string[]>): Promise<readonly string[]> {
    const over = new AbortController();
    const late = pause(clock, SUGGEST_MS, over.signal).then((): readonly string[] => []);
    const failed = suggesting.catch((thrown: unknown): readonly string[] => {
      logger.warn("discord.no_suggestions", { error: messageOf(thrown) });
      return [];
    });
    const suggested = await Promise.race([failed, late]);
    over.abort();
    return suggested;
  }

  /**
   * Interactions are replayed after a resumed session, and come twice where two processes have one token. Whoever claimed one first
   * may have died over it: once its claim is old enough to be taken over, we look again.
   */
  async function once({ id }: ActedInteraction, work: () => Promise<void>): Promise<void> {
    const event = { channel: "discord", key: `interaction/${id}` };
    if (await claimed()) return run();
    logger.info("discord.repeated", { interaction: id });
    clock.after(TAKE_OVER_MS, () => void takeOver());

    function claimed(): Promise<boolean> {
      return store.claimEvent(event, clock.now());
    }

    function run(): Promise<void> {
      return settleAfter({ store, clock }, event, work);
    }

    async function takeOver(): Promise<void> {
      try {
        if (!(await claimed())) return;
        logger.warn("discord.taken_over", { interaction: id });
        await run();
      } catch (thrown) {
        logger.error("discord.interaction_failed", { interaction: id, error: messageOf(thrown) });
      }
    }
  }

  function opened(
    { id, token }: ActedInteraction,
    { conversation, person, thread }: Actor,
    original: OpenInteraction["original"],
  ): OpenInteraction {
    const inThread = thread === undefined ? {} : { thread };
    const open: OpenInteraction = { id, token, conversation, ...inThread, person, at: madeAt(id), original };
    interactions.open(open);
    return open;
  }

  function isServed({ conversation }: Actor): boolean {
    return ports.guilds.length === 0 || ports.guilds.includes(conversation.workspace);
  }

  async function note(
    key: string,
    { locale }: Actor,
  ): Promise<{ page: { card: ReturnType<typeof composeNote> }; visibility: "asker" }> {
    const texts = await ports.texts();
    const card = composeNote({ texts, locale: localeNamed(locale ?? "en") ?? "en" }, key);
    return { page: { card }, visibility: "asker" };
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
