// One message under its key, in the best form that Discord takes: full, then plain where the body is refused, then without what a filter holds back.
import type { Page } from "../../src/core/card.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { isBodyRefused, isFiltered } from "./faults.ts";
import { object } from "./places.ts";
import { type RenderOptions, renderPage, renderPlain, renderPlainEdit } from "./render.ts";
import type { RestAnswer, RestFile } from "./rest.ts";
import type { MessageBody } from "./wire.ts";

export interface PostingPorts {
  readonly logger: Logger;
  /** What stands in place of a text that the server's filters hold back. */
  readonly filteredText: () => Promise<string>;
}

/** Sends a body somewhere, once, with the files that it names. */
export type SendBody = (body: MessageBody, files?: readonly RestFile[]) => Promise<RestAnswer>;

/** Renders a message and sends it through the given call, in as many forms as it takes. */
export type SendMessage = (options: RenderOptions, call: SendBody) => Promise<RestAnswer>;

export type PostPage = (page: Page, options: RenderOptions, send: SendBody) => Promise<RestAnswer>;

/** A V2 message of this size that is answered with 500 broke over its size, not by accident. Bytes of its components as JSON. */
const SUSPICIOUS_BYTES = 8_000;

/** Each form once, never in a circle. The answer is the last one's. Throws ChannelError `too_large` before anything is sent. */
export function createPostPage({ logger, filteredText }: PostingPorts): PostPage {
  return async (page, options, send) => {
    const body = renderPage(page, options);
    const first = await send(body);
    if (first.ok) return first;
    if (isBodyRefused(first.refusal)) {
      // Our own mistake: what Discord says names the place in the body.
      logger.error("discord.body_refused", { code: first.refusal.code, error: first.refusal.message });
      const plain = await send(plainOf(page, options));
      return plain.ok || !isFiltered(plain.refusal) ? plain : filtered(page, options, send, plain);
    }
    if (isFiltered(first.refusal)) return filtered(page, options, send, first);
    const bytes = Buffer.byteLength(JSON.stringify(body.components));
    // Discord breaks over a large body (discord-api-docs#8554); the nonce keeps the smaller one from being a second message.
    if (first.refusal.status === 500 && bytes > SUSPICIOUS_BYTES) {
      return { ok: false, refusal: { ...first.refusal, status: 413 } };
    }
    return first;
  };

  async function filtered(page: Page, options: RenderOptions, send: SendBody, last: RestAnswer): Promise<RestAnswer> {
    const code = last.ok ? 0 : last.refusal.code;
    logger.warn("discord.filtered", { code });
    const again = await send(renderPage(withoutText(page, await filteredText()), options));
    return again;
  }
}

function plainOf(page: Page, options: RenderOptions): MessageBody {
  if (options.isEdit !== true) return renderPlain(page, options);
  // A message that was an embed until now has to give up what components cannot stand beside.
  return { ...renderPlainEdit(page), content: null, embeds: [] };
}

/** Nobody says which words were held back: all of them go, and the links; the buttons are our own. */
function withoutText({ card, ...page }: Page, text: string): Page {
  const buttons = card.blocks.flatMap((block) =>
    block.kind === "actions" ? block.actions.filter(({ token }) => token !== undefined) : [],
  );
  return {
    ...page,
    card: {
      title: text,
      tone: card.tone,
      fallback: text,
      blocks: buttons.length === 0 ? [] : [{ kind: "actions", actions: buttons }],
    },
  };
}

/** The id of the message that Discord made, from its answer. */
export function messageId(value: unknown): string {
  const { id } = object(value);
  return typeof id === "string" ? id : "";
}
