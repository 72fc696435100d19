// The message shortcut: finds the revisions that a message names and reviews them in its thread, or asks of which repository they are.
import { commandWords } from "../../src/core/command.ts";
import { findRevisions, repositoryMeant } from "../../src/core/revision-mentions.ts";
import type { Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackClient } from "./client-types.ts";
import { conversationOf, type MessageShortcut, type SubmittedView } from "./inbound.ts";
import { typedText } from "./inbound-text.ts";
import { elementIds, repositoryModal, waitingRevisionsIn } from "./modals.ts";
import type { Once } from "./once.ts";
import type { LookUpPerson, PersonFacts } from "./people.ts";
import type { Asked, Reply } from "./reply.ts";
import { inboundFrom, isDirect, messageOf } from "./spoken.ts";
import { isTooLate } from "./web-calls.ts";
import type { Words } from "./words.ts";

export const reviewShortcut = "review_message";

/** Most revisions of one message that are reviewed. */
const MOST = 5;

/** Nobody's revision is longer, UTF-16 units; and a modal carries five of them. */
const MAX_SPEC = 500;

export interface ShortcutPorts {
  readonly client: Pick<SlackClient, "openView">;
  readonly once: Once;
  readonly lookUp: LookUpPerson;
  readonly reply: Reply;
  readonly words: Words;
  readonly logger: Logger;
}

export interface Shortcut {
  /** Never throws: the person is told when it failed. */
  review(given: MessageShortcut, inbox: Inbox): Promise<void>;
  /** The repository was chosen. */
  chosen(given: SubmittedView, inbox: Inbox): Promise<void>;
}

/** One revision of the message, with its repository. */
interface Wanted {
  readonly repository: string;
  readonly spec: string;
}

export function createShortcut(ports: ShortcutPorts): Shortcut {
  const { client, once, lookUp, reply, words, logger } = ports;

  async function reviewAll(wanted: readonly Wanted[], facts: PersonFacts, asked: Asked, inbox: Inbox): Promise<void> {
    const { conversation, thread, key } = asked;
    for (const [index, { repository, spec }] of wanted.entries()) {
      const answer = await inbox.command({
        ...inboundFrom(facts),
        conversation,
        eventId: `${key}/${index}`,
        text: `${repository} ${spec}`,
        ...(thread === undefined ? {} : { thread }),
      });
      await reply.show(answer, { ...asked, key: `${key}/${index}` });
    }
  }

  /** What a person who speaks in the conversation may name: no alias is a word of the command language. */
  async function repositoriesIn(given: MessageShortcut, facts: PersonFacts, inbox: Inbox): Promise<readonly string[]> {
    const { conversation, key } = given;
    const offered = await inbox.suggest({ ...inboundFrom(facts), conversation, eventId: key, text: "" });
    const verbs: readonly string[] = commandWords;
    return offered.filter((word) => !verbs.includes(word));
  }

  async function begin(given: MessageShortcut, inbox: Inbox): Promise<void> {
    const { conversation, person, key, responseUrl, triggerId, thread = given.ts } = given;
    const facts = await lookUp(person, conversation.workspace);
    const { locale } = facts;
    const asked = { conversation, person, key, isDirect: isDirect(conversation.conversation) };
    const text = typedText(given.text);
    const mentions = findRevisions(text, MOST).filter(({ spec }) => spec.length <= MAX_SPEC);
    if (mentions.length === 0) {
      return reply.tell(await words.page("slack.no_revision", locale), { ...asked, responseUrl });
    }
    const repositories = await repositoriesIn(given, facts, inbox);
    if (repositories.length === 0) {
      return reply.tell(await words.page("command.repos.none", locale), { ...asked, responseUrl });
    }
    const meant = mentions.map((mention) => ({
      spec: mention.spec,
      repository: repositoryMeant(text, mention, repositories),
    }));
    const clear = meant.flatMap(({ spec, repository }) => (repository === null ? [] : [{ spec, repository }]));
    const unclear = meant.filter(({ repository }) => repository === null).map(({ spec }) => spec);
    // The modal first: what opens it is good for three seconds.
    if (unclear.length > 0) {
      const [title, submit, cancel, label] = await Promise.all(
        ["slack.which_repository", "slack.review", "slack.cancel", "slack.repository"].map((word) =>
          words.say(word, locale),
        ),
      );
      const waiting = { conversation: conversation.conversation, thread, specs: unclear };
      const about = { title: title ?? "", submit: submit ?? "", cancel: cancel ?? "", label: label ?? "" };
      const view = repositoryModal(waiting, repositories, { ...about, text: unclear.join(", ") });
      try {
        await client.openView(conversation.workspace, triggerId, view);
      } catch (thrown) {
        if (!isTooLate(thrown)) throw thrown;
        await reply.tell(await words.page("slack.unclear", locale), { ...asked, responseUrl });
      }
    }
    await reviewAll(clear, facts, { ...asked, thread }, inbox);
  }

  return {
    async review(given, inbox) {
      if (given.callbackId !== reviewShortcut) return;
      const { conversation, person, key, responseUrl } = given;
      try {
        await once(key, () => begin(given, inbox));
      } catch (thrown) {
        logger.error("slack.shortcut_failed", { conversation: conversation.conversation, error: messageOf(thrown) });
        await reply.tell(await words.page("slack.failed", undefined), { conversation, person, key, responseUrl });
      }
    },

    async chosen({ workspace, person, view, values, key }, inbox) {
      const waiting = waitingRevisionsIn(view.metadata);
      const repository = values[elementIds.repository] ?? "";
      if (waiting === null || repository === "") return;
      const conversation = conversationOf(workspace, waiting.conversation);
      const asked = { conversation, person, key, thread: waiting.thread, isDirect: isDirect(waiting.conversation) };
      try {
        await once(key, async () => {
          const facts = await lookUp(person, workspace);
          await reviewAll(
            waiting.specs.map((spec) => ({ repository, spec })),
            facts,
            asked,
            inbox,
          );
        });
      } catch (thrown) {
        logger.error("slack.shortcut_failed", { conversation: waiting.conversation, error: messageOf(thrown) });
        await reply.tell(await words.page("slack.failed", undefined), asked);
      }
    },
  };
}
