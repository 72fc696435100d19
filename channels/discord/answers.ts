// Calls that an interaction's own token authorises: its acknowledgement, its answers, and edits of them.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef } from "../../src/core/delivery.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Acknowledged, FirstAnswer, InteractionCalls } from "./calls.ts";
import { formData } from "./components/form.ts";
import { channelError, codes, isTokenOver } from "./faults.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import { messageId, type PostPage } from "./posting.ts";
import type { DiscordRest, RestAnswer } from "./rest.ts";
import { messageFlags } from "./wire.ts";

export interface AnswersPorts {
  readonly rest: DiscordRest;
  readonly application: string;
  readonly interactions: OpenInteractions;
  readonly postPage: PostPage;
  readonly logger: Logger;
}

export interface Answers extends InteractionCalls {
  /** Edits a message that went through the interaction. */
  edit(interaction: OpenInteraction, message: string, page: Page): Promise<RestAnswer>;
  remove(interaction: OpenInteraction, message: string): Promise<RestAnswer>;
}

export function createAnswers({ rest, application, interactions, postPage, logger }: AnswersPorts): Answers {
  return {
    async acknowledge({ id, token }, answer) {
      const path = `/interactions/${id}/${token}/callback` as const;
      const told = await rest.call({ method: "POST", path, body: callback(answer), auth: false });
      if (told.ok) return "done";
      return (
        acknowledgedAnyway(told.refusal.code) ?? Promise.reject(channelError(told.refusal, { doing: "acknowledge" }))
      );
    },
    async answer(interaction, page, isPrivate) {
      const fillsOriginal = interactions.takeOriginal(interaction.id);
      const answer = fillsOriginal
        ? await edit(interaction, "@original", page)
        : await postPage(page, { isPrivate }, (body) =>
            rest.call({ method: "POST", path: path(interaction), body, auth: false }),
          );
      if (answer.ok) {
        const message = messageId(answer.value);
        interactions.bind(message, interaction);
        const { conversation, thread } = interaction;
        return { ...conversation, ...(thread === undefined ? {} : { thread }), message } satisfies MessageRef;
      }
      // Filling it again shows the same once; whoever tries next may.
      if (fillsOriginal) interactions.returnOriginal(interaction.id);
      if (isTokenOver(answer.refusal)) {
        interactions.close(interaction.id);
        logger.info("discord.token_over", { interaction: interaction.id });
        return "expired";
      }
      throw channelError(answer.refusal, { doing: "answer the command" });
    },
    async dropOriginal(interaction) {
      if (!interactions.takeOriginal(interaction.id)) return;
      const answer = await remove(interaction, "@original");
      if (!answer.ok) logger.debug("discord.original_stays", { code: answer.refusal.code });
    },
    edit,
    remove,
  };

  function edit(interaction: OpenInteraction, message: string, page: Page): Promise<RestAnswer> {
    return postPage(page, { isEdit: true }, (body) =>
      rest.call({ method: "PATCH", path: `${path(interaction)}/messages/${message}`, body, auth: false }),
    );
  }

  function remove(interaction: OpenInteraction, message: string): Promise<RestAnswer> {
    return rest.call({ method: "DELETE", path: `${path(interaction)}/messages/${message}`, auth: false });
  }

  function path({ token }: OpenInteraction): `/webhooks/${string}` {
    return `/webhooks/${application}/${token}`;
  }
}

function acknowledgedAnyway(code: number): Acknowledged | null {
  if (code === codes.unknownInteraction) return "too_late";
  return code === codes.alreadyAnswered ? "already" : null;
}

export function callback(answer: FirstAnswer): Readonly<Record<string, unknown>> {
  switch (answer.kind) {
    case "defer":
      return { type: 5, ...(answer.isPrivate ? { data: { flags: messageFlags.ephemeral } } : {}) };
    case "defer_update":
      return { type: 6 };
    case "choices":
      return { type: 8, data: { choices: answer.choices } };
    case "form":
      return { type: 9, data: formData(answer.form, answer.origin) };
  }
}
