// The web chat as a channel: its messages live in the store's chat log, its people reach it through the Web API.
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { type Channel, ChannelError, type Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { errorAnswer, thrownAnswer } from "../kit/answers.ts";
import { asChannelCall, denied } from "../kit/faults.ts";
import { createWebApi, type WebApiPorts } from "./api.ts";
import { webCapabilities } from "./capabilities.ts";
import { createStreams } from "./client.ts";
import { createForms } from "./forms.ts";
import { isConversationId } from "./inbound.ts";
import { createMessageLog } from "./message-log.ts";

export interface WebChannelOptions extends Pick<WebApiPorts, "config" | "chat" | "reviews" | "ids" | "clock"> {
  readonly logger: Logger;
  /** Name of the command that people may put before what they say. Default: `review`. */
  readonly commandName?: string;
  /** Where people reach the page, without a slash at the end; without it there are no permalinks. */
  readonly publicUrl?: string;
}

export function createWebChannel(options: WebChannelOptions): Channel {
  const { config, chat, ids, clock, logger } = options;
  const streams = createStreams({ clock, maxStreams: config.max_streams });
  const log = createMessageLog({ chat, streams, ids, clock });
  const forms = createForms();
  const api = createWebApi({ ...options, commandName: options.commandName ?? "review", log, streams, forms });
  let inbox: Inbox | undefined;
  let state: "starting" | "up" | "down" = "starting";

  function check({ conversation, onlyFor }: Target): void {
    const { channel, workspace } = conversation;
    const isOurs = channel === log.person.channel && workspace === log.person.workspace;
    if (!isOurs || !isConversationId(conversation.conversation)) {
      throw new ChannelError("rejected", "The conversation is none of the web chat.");
    }
    if (onlyFor !== undefined && onlyFor.channel !== log.person.channel) {
      throw new ChannelError("rejected", "The person is none of the web chat.");
    }
  }

  return {
    name: "web",
    capabilities: webCapabilities,
    routes: ["/api/conversations/*", "/api/reviews/*"],
    async start(given) {
      inbox = given;
      state = "up";
    },
    async stop() {
      inbox = undefined;
      state = "down";
      streams.closeAll();
    },
    health: () => ({ state }),
    async webhook(request) {
      if (inbox === undefined) {
        const remedy = "Try again in a moment.";
        const fault = { code: "unavailable", message: "The chat is starting or stopping.", remedy };
        return errorAnswer(503, fault, { "retry-after": "1" });
      }
      try {
        return await api(request, inbox);
      } catch (thrown) {
        logger.error("web.request_failed", { path: new URL(request.url).pathname, error: thrown });
        return thrownAnswer(thrown);
      }
    },
    send: (target, page, key) =>
      asChannelCall(async () => {
        check(target);
        const { conversation, thread, onlyFor } = target;
        const visibility = onlyFor === undefined ? "everyone" : "asker";
        const place = { conversation: conversation.conversation, thread, visibility } as const;
        return log.refOf(await log.appendPage(place, page, sendKey(target, key)));
      }),
    edit: (ref, page) => asChannelCall(() => log.edit(ref.message, page)),
    remove: (ref) => asChannelCall(() => log.remove(ref.message)),
    attach: () => Promise.reject(denied("web", "files")),
    react: () => Promise.reject(denied("web", "reactions")),
    ask: async ({ eventId }, form) => forms.ask(eventId, form),
    async permalink(ref) {
      return options.publicUrl === undefined ? null : `${options.publicUrl}/#${fragment(ref)}`;
    },
    find: (target, key) =>
      asChannelCall(async () => {
        check(target);
        // The log is searched by its exact key, so `since` need not bound the search.
        const message = await chat.findByKey(sendKey(target, key));
        return message === null ? "absent" : log.refOf(message);
      }),
  };
}

/** Keys of the core and keys made by clients never meet, nor do those of two conversations. */
function sendKey({ conversation }: Target, key: string): string {
  return `send/${conversation.conversation}/${key}`;
}

function fragment({ conversation, message }: MessageRef): string {
  return `${conversation}/${message}`;
}
