// The App Home: what a person hears and what is open there, and a subscription in two steps.
import type { HomeView } from "@slack/types";
import { commandWords } from "../../src/core/command.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import { ChannelError, type Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { fitReply } from "../kit/fit-reply.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackClient } from "./client-types.ts";
import { conversationOf, type OpenedHome, type PressedButton, type SubmittedView } from "./inbound.ts";
import { elementIds, subscribeModal, subscribingIn } from "./modals.ts";
import type { Once } from "./once.ts";
import type { LookUpPerson, PersonFacts } from "./people.ts";
import { renderPage } from "./render.ts";
import type { Reply } from "./reply.ts";
import { inboundFrom, isDirect, messageOf } from "./spoken.ts";
import type { Words } from "./words.ts";

export interface HomePorts {
  readonly client: Pick<SlackClient, "publishHome" | "openView" | "updateView" | "conversationInfo" | "openDm">;
  readonly once: Once;
  readonly lookUp: LookUpPerson;
  readonly reply: Reply;
  readonly words: Words;
  readonly logger: Logger;
}

export interface Home {
  /** Somebody opened the Home tab. Throws when it could not be shown. */
  show(given: OpenedHome, inbox: Inbox): Promise<void>;
  /** The button of the Home tab. */
  openSubscribe(given: PressedButton): Promise<void>;
  /** The conversation of a new subscription was chosen: now its repositories are known. */
  choose(given: PressedButton, inbox: Inbox): Promise<void>;
  subscribe(given: SubmittedView, inbox: Inbox): Promise<void>;
}

/** Slack's limit of a view's blocks. */
const MAX_BLOCKS = 100;

export function createHome(ports: HomePorts): Home {
  const { client, once, lookUp, reply, words, logger } = ports;

  return {
    async show({ workspace, person, direct, key }, inbox) {
      await once(key, async () => publish(workspace, await lookUp(person, workspace), direct, inbox));
    },

    async openSubscribe({ conversation, person, triggerId }) {
      // Nothing is looked up before the modal is open, for what opens it is good for three seconds: its words are read already.
      const facts = await lookUp(person, conversation.workspace);
      const view = subscribeModal(await words.subscribe(facts.locale));
      try {
        await client.openView(conversation.workspace, triggerId, view);
      } catch (thrown) {
        // The button is still there.
        logger.info("slack.modal_late", { error: messageOf(thrown) });
      }
    },

    async choose({ conversation: place, person, view, value, key }, inbox) {
      if (view === undefined || value === "") return;
      const { workspace } = place;
      const conversation = conversationOf(workspace, value);
      const facts = await lookUp(person, workspace);
      const offered = await inbox.suggest({ ...inboundFrom(facts), conversation, eventId: key, text: "" });
      const verbs: readonly string[] = commandWords;
      const repositories = offered.filter((word) => !verbs.includes(word));
      const next = subscribeModal(await words.subscribe(facts.locale), { conversation: value, repositories });
      try {
        await client.updateView(workspace, { id: view.id, hash: view.hash }, next);
      } catch (thrown) {
        // Closed meanwhile, or another choice was faster.
        logger.info("slack.modal_gone", { error: messageOf(thrown) });
      }
    },

    async subscribe({ workspace, person, view, values, key }, inbox) {
      const chosen = subscribingIn(view.metadata);
      const repository = values[elementIds.repository] ?? "";
      if (chosen === null || repository === "") return;
      const conversation = conversationOf(workspace, chosen);
      const filters = (values[elementIds.filters] ?? "").trim();
      const asked = { conversation, person, key, isDirect: isDirect(chosen) };
      const facts = await lookUp(person, workspace);
      try {
        await once(key, async () => {
          const invite = await isShutOut(workspace, chosen);
          if (invite) return reply.tell(await words.page("slack.invite", facts.locale), asked);
          const text = `subscribe ${repository} ${filters}`.trim();
          const answer = await inbox.command({ ...inboundFrom(facts), conversation, eventId: key, text });
          await reply.show(answer, asked);
        });
        await refresh(workspace, facts, inbox);
      } catch (thrown) {
        logger.error("slack.subscribe_failed", { conversation: chosen, error: messageOf(thrown) });
        await reply.tell(await words.page("slack.failed", facts.locale), asked);
      }
    },
  };

  async function publish(workspace: string, facts: PersonFacts, direct: string, inbox: Inbox): Promise<void> {
    const conversation = conversationOf(workspace, direct);
    const page = await inbox.home({ ...inboundFrom(facts), conversation, nameOf });
    const label = await words.say("slack.subscribe.open", facts.locale);
    await client.publishHome(workspace, facts.person.person, homeView(page, label));
  }

  /** The Home as it is after a subscription; Slack asks for it only when somebody opens it. */
  async function refresh(workspace: string, facts: PersonFacts, inbox: Inbox): Promise<void> {
    try {
      await publish(workspace, facts, await client.openDm(workspace, facts.person.person), inbox);
    } catch (thrown) {
      logger.info("slack.home_not_refreshed", { error: messageOf(thrown) });
    }
  }

  async function nameOf({ workspace, conversation }: ConversationRef): Promise<string | null> {
    const found = await client.conversationInfo(workspace, conversation).catch(() => null);
    return found?.name === undefined ? null : `#${found.name}`;
  }

  /** A subscription of a conversation that the bot cannot write into would be heard by nobody. */
  async function isShutOut(workspace: string, conversation: string): Promise<boolean> {
    if (isDirect(conversation)) return false;
    try {
      const found = await client.conversationInfo(workspace, conversation);
      return found === null || (found.kind !== "public" && !found.isMember);
    } catch (thrown) {
      if (!(thrown instanceof ChannelError)) throw thrown;
      return false;
    }
  }
}

/** The page of the core with a button of ours below. */
function homeView(page: Parameters<typeof renderPage>[0], label: string): HomeView {
  const blocks = fitReply(page, slackCapabilities.limits).flatMap((part) => [...renderPage(part).blocks]);
  return {
    type: "home",
    blocks: [
      ...blocks.slice(0, MAX_BLOCKS - 1),
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: elementIds.openSubscribe,
            text: { type: "plain_text", text: label, emoji: false },
            style: "primary",
          },
        ],
      },
    ],
  };
}
