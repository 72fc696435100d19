// What people say to the bot: slash commands, mentions in channels and threads, and direct messages.
import type { InboundCommand, Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackClient } from "./client-types.ts";
import type { SlashCommand, SpokenMessage } from "./inbound.ts";
import { commandText, spokenCommand } from "./inbound-text.ts";
import type { Once } from "./once.ts";
import type { LookUpPerson, PersonFacts } from "./people.ts";
import type { Reply } from "./reply.ts";
import type { Words } from "./words.ts";

export interface SpokenPorts {
  readonly client: Pick<SlackClient, "conversationInfo">;
  readonly once: Once;
  readonly lookUp: LookUpPerson;
  readonly reply: Reply;
  readonly words: Words;
  readonly botUserId: (workspace: string) => Promise<string | undefined>;
  /** Without a slash. */
  readonly commandName: string;
  readonly logger: Logger;
}

export interface Spoken {
  /** Never throws: Slack sends no command twice, so that the person is told when it failed. */
  command(given: SlashCommand, inbox: Inbox, ack: () => Promise<void>): Promise<void>;
  /** Throws when nothing was done: Slack then sends the message again. */
  message(given: SpokenMessage, inbox: Inbox): Promise<void>;
}

export function createSpoken(ports: SpokenPorts): Spoken {
  const { client, once, lookUp, reply, words, logger } = ports;

  /** Slack does not let the bot write into a private conversation in which it is not. */
  async function isShutOut({ isPrivate, conversation }: SlashCommand): Promise<boolean> {
    const { workspace, conversation: place } = conversation;
    if (!isPrivate) return false;
    try {
      const found = await client.conversationInfo(workspace, place);
      // The direct conversation with the bot has no members to speak of.
      return found === null || !(found.isMember || found.kind === "im");
    } catch (thrown) {
      logger.info("slack.membership_unknown", { conversation: place, error: messageOf(thrown) });
      return false;
    }
  }

  return {
    async command(given, inbox, ack) {
      const { conversation, person, key, responseUrl } = given;
      const asked = { conversation, person, responseUrl, key };
      let answer: (() => Promise<void>) | undefined;
      let facts: PersonFacts | undefined;
      try {
        await once(key, async () => {
          facts = await lookUp(person, conversation.workspace);
          const { locale } = facts;
          if (await isShutOut(given)) {
            const page = await words.page("slack.invite", locale);
            answer = () => reply.tell(page, asked);
            return;
          }
          const text = commandText(given.text, ports.commandName);
          const found = await inbox.command({ ...inboundFrom(facts), conversation, eventId: key, text });
          answer = () => reply.show(found, asked);
        });
      } catch (thrown) {
        logger.error("slack.command_failed", { conversation: conversation.conversation, error: messageOf(thrown) });
        answer = async () => reply.tell(await words.page("slack.failed", facts?.locale), asked);
      }
      await ack();
      await answer?.();
    },

    async message(given, inbox) {
      const { kind, conversation, person, key, thread } = given;
      let answer: (() => Promise<void>) | undefined;
      await once(key, async () => {
        const [facts, botUserId] = await Promise.all([
          lookUp(person, conversation.workspace),
          ports.botUserId(conversation.workspace),
        ]);
        const text = spokenCommand(given.text, ports.commandName, botUserId);
        const place = thread === undefined ? {} : { thread };
        const found = await inbox.command({ ...inboundFrom(facts), conversation, eventId: key, text, ...place });
        answer = () => reply.show(found, { conversation, person, key, isDirect: kind === "direct", ...place });
      });
      await answer?.();
    },
  };
}

/** What is told of whoever speaks. */
export function inboundFrom(facts: PersonFacts): Pick<InboundCommand, "person" | "roles" | "groups" | "locale"> {
  const { person, roles, groups, locale } = facts;
  return { person, roles, groups, ...(locale === undefined ? {} : { locale }) };
}

/** Direct conversations have ids of their own. */
export function isDirect(conversation: string): boolean {
  return conversation.startsWith("D");
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
