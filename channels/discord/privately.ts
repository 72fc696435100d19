// What only one person may see: through the newest interaction whose token still answers, else as a direct message.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Answers } from "./answers.ts";
import { channelError } from "./faults.ts";
import type { Finding } from "./finding.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import type { Places } from "./places.ts";
import { messageId, type SendMessage } from "./posting.ts";
import type { Publicly } from "./publicly.ts";
import type { SentMessages } from "./sent-messages.ts";

export interface PrivatelyPorts {
  readonly places: Places;
  readonly interactions: OpenInteractions;
  readonly answers: Pick<Answers, "answer">;
  readonly publicly: Publicly;
  readonly sent: SentMessages;
}

export interface Privately {
  /** Throws ChannelError `forbidden` when the person takes no direct messages. */
  send(target: Target, page: Page, key: string, render: SendMessage): Promise<MessageRef>;
  /** The same, and always as a direct message. */
  sendDirectly(target: Target, page: Page, key: string, render: SendMessage): Promise<MessageRef>;
  find(target: Target, key: string, since: number, finding: Finding): Promise<MessageRef | "absent" | "unknown">;
}

/** The workspace of direct messages, as Discord's own addresses name it. */
export const DIRECT = "@me";

export function createPrivately({ places, interactions, answers, publicly, sent }: PrivatelyPorts): Privately {
  return {
    async send(target, page, key, render) {
      const interaction = usable(target);
      if (interaction !== null) {
        const answered = await throughInteraction(interaction, target, page, key);
        if (answered !== "expired") return answered;
      }
      return sendDirectly(target, page, key, render);
    },
    sendDirectly,
    async find(target, key, since, finding) {
      // A message through an interaction can be seen by its person alone: not even we can look for it.
      if (sent.isDoubtful(target, key) || since < sent.since) return "unknown";
      const channel = await places.directTo(personOf(target).person);
      const found = await finding.inMessages(channel, key, since);
      return found === "absent" || found === "unknown" ? found : refOf(channel, found);
    },
  };

  /** Null where only a direct message is private: a first follow-up to a public deferral would become public. */
  function usable(target: Target): OpenInteraction | null {
    const interaction = interactions.newestOf(target.conversation, personOf(target));
    const isPublic = interaction?.original === "public" && !interactions.isFilled(interaction.id);
    return isPublic ? null : interaction;
  }

  async function throughInteraction(
    interaction: OpenInteraction,
    target: Target,
    page: Page,
    key: string,
  ): Promise<MessageRef | "expired"> {
    const fillsOriginal = !interactions.isFilled(interaction.id);
    try {
      return await answers.answer(interaction, page, true);
    } catch (thrown) {
      // Filling the original again changes nothing; a follow-up that was lost may stand there already.
      if (!fillsOriginal && thrown instanceof ChannelError && thrown.fault === "uncertain") sent.doubt(target, key);
      throw thrown;
    }
  }

  async function sendDirectly(target: Target, page: Page, key: string, render: SendMessage): Promise<MessageRef> {
    const { person } = personOf(target);
    const channel = await places.directTo(person);
    const { workspace, conversation } = target.conversation;
    const isAboutPerson = conversation === person || workspace === DIRECT;
    // The card's buttons belong to the conversation that it is about.
    const about = isAboutPerson
      ? { ...(target.thread === undefined ? {} : { reference: target.thread }) }
      : { origin: { guild: workspace, channel: conversation } };
    const answer = await publicly.post(channel, { page, key, send: render }, about);
    if (!answer.ok) throw channelError(answer.refusal, { doing: "send a direct message" });
    return refOf(channel, messageId(answer.value));
  }
}

function refOf(channel: string, message: string): MessageRef {
  return { channel: "discord", workspace: DIRECT, conversation: channel, message };
}

function personOf({ onlyFor, conversation }: Target): NonNullable<Target["onlyFor"]> {
  return onlyFor ?? { ...conversation, person: conversation.conversation };
}
