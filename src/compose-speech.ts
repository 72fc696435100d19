// Composes all that speaks: the answers to commands and buttons, the progress of a review, and the messages of deliveries.
import { createComposeDelivery } from "./app/compose-delivery.ts";
import type { ComposeDelivery } from "./app/deliver.ts";
import { createExplainChange } from "./app/explain-change.ts";
import type { HandleAction } from "./app/handle-action.ts";
import type { HandleCommand } from "./app/handle-command.ts";
import { createMakeDigest } from "./app/make-digest.ts";
import { createShowFinding } from "./app/show-finding.ts";
import { createShowHome, type ShowHome } from "./app/show-home.ts";
import type { ComposeProgress, ShowProgress } from "./app/show-progress.ts";
import { createTellAuditors } from "./app/tell-auditors.ts";
import { createTurns } from "./app/turns.ts";
import { createActionCards } from "./cards/action-cards.ts";
import { composeNote } from "./cards/compose-note.ts";
import { createHomeCard } from "./cards/home-card.ts";
import { composeActions } from "./compose-actions.ts";
import { commandNames, composeCommands } from "./compose-commands.ts";
import type { Reviewing } from "./compose-review.ts";
import { composeTexts, createLinks } from "./compose-texts.ts";
import type { Config } from "./config/config.ts";
import type { MessageRef } from "./core/delivery.ts";
import type { Channel } from "./ports/channel.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Visibility } from "./ports/listeners.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import type { Texts } from "./ports/texts.ts";

export interface SpeechFoundation {
  readonly config: Config;
  readonly store: Store;
  readonly reviewing: Reviewing;
  readonly visibility: Visibility;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly progress: ShowProgress;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Tells the workers that there is a review to do. */
  readonly wakeReviews: () => void;
  /** Tells the senders that a lane may have become free. */
  readonly wakeDeliveries: () => void;
}

export interface Speech {
  readonly texts: Texts;
  readonly command: HandleCommand;
  readonly action: HandleAction;
  readonly home: ShowHome;
  readonly composeDelivery: ComposeDelivery;
  readonly composeProgress: ComposeProgress;
}

/** Throws AppError `config` naming file and line when a template that shadows a built-in one has a mistake. */
export function composeSpeech(foundation: SpeechFoundation): Speech {
  const { config, store, reviewing, channels, clock, ids, logger } = foundation;
  const texts = composeTexts(config);
  const links = createLinks(config);
  const { subscriptions, vcs } = reviewing;
  const explain = createExplainChange({ vcs, subscriptions, channels, texts, logger });
  const permalink = async (ref: MessageRef): Promise<string | null> =>
    (await channels.get(ref.channel)?.permalink(ref)) ?? null;
  const tellAuditors = createTellAuditors({ store, subscriptions, clock, ids, wake: foundation.wakeDeliveries });
  const makeDigest = createMakeDigest({ store, texts, permalink });
  const cards = createActionCards({ texts, links, command: "/review" });
  const inTurn = createTurns();
  const showFinding = createShowFinding({ store, channels, cards, inTurn, clock, logger });
  const spoken = { ...foundation, explain, makeDigest, tellAuditors, showFinding, texts };
  const answers = new Map<string, HandleCommand>();
  /** Each platform has its own words before a command. */
  function answersOn(channel: string): HandleCommand {
    const known = answers.get(channel) ?? composeCommands({ ...spoken, names: commandNames(config, channel) });
    answers.set(channel, known);
    return known;
  }
  const command: HandleCommand = async (inbound) => {
    // Whoever is heard from can be spoken to again.
    if (await store.isPaused(inbound.conversation)) await store.resumeConversation(inbound.conversation);
    return answersOn(inbound.conversation.channel)(inbound);
  };
  return {
    texts,
    command,
    action: composeActions({ ...foundation, cards, showFinding, inTurn, command, tellAuditors }),
    home: async (inbound) =>
      createShowHome({
        store,
        visibility: foundation.visibility,
        card: createHomeCard({ texts, command: commandNames(config, inbound.person.channel).verbs }),
        repositories: config.repositories.map(({ alias }) => alias),
        defaultLocale: config.language,
      })(inbound),
    composeDelivery: createComposeDelivery({
      store,
      texts,
      links,
      clock,
      ids,
      async digest({ repository, from, to, timeZone }, { target, locale }) {
        const { conversation } = target;
        const asked = { conversation, repositories: [repository], from, to, locale, timeZone };
        return (await makeDigest(asked)).card;
      },
    }),
    composeProgress: progressIn(texts),
  };
}

function progressIn(texts: Texts): ComposeProgress {
  return async (note, repository, spec, locale) => ({
    card: composeNote({ texts, locale }, `progress.${note.kind}`, {
      repository,
      spec: spec === "" ? "HEAD" : spec,
      ...(note.kind === "reviewing" ? { files: note.files } : {}),
    }),
  });
}
