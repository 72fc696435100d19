// Modals, the App Home, and answers through the address that an interaction brought along.
import type { View } from "@slack/types";
import * as z from "zod";
import type { Page } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackClient, SlackClientOptions, SlackView } from "./client-types.ts";
import { fromAnswer, fromNetwork, fromStatus } from "./faults.ts";
import { createInForms, understood } from "./post-message.ts";
import { SlackCallError, type WebCalls } from "./web-calls.ts";

export interface ViewsPorts extends Pick<SlackClientOptions, "fetch" | "timeoutMs" | "apiUrl"> {
  readonly calls: WebCalls;
  readonly logger: Logger;
}

export type Views = Pick<SlackClient, "openView" | "updateView" | "publishHome" | "respond">;

const TIMEOUT_MS = 15_000;
const opened = z.looseObject({ view: z.looseObject({ id: z.string(), hash: z.string().optional() }) });

export function createViews({ calls, logger, fetch = globalThis.fetch, timeoutMs, apiUrl }: ViewsPorts): Views {
  const inForms = createInForms(logger);

  function viewOf(answer: unknown, method: string): SlackView {
    const { id, hash } = understood(opened, answer, method).view;
    return { id, ...(hash === undefined ? {} : { hash }) };
  }

  async function call(workspace: string, method: string, given: Readonly<Record<string, unknown>>): Promise<SlackView> {
    try {
      return viewOf(await calls.write(workspace, method, given), method);
    } catch (thrown) {
      if (thrown instanceof SlackCallError && thrown.pointers.length > 0) {
        logger.warn("slack.view_refused", { method, pointers: thrown.pointers });
      }
      throw thrown;
    }
  }

  async function post(address: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const method = "response_url";
    const isPlain = apiUrl?.startsWith("http:") === true && address.startsWith("http:");
    if (!URL.canParse(address) || !(address.startsWith("https:") || isPlain)) {
      throw new ChannelError("rejected", "The response address is not https.");
    }
    let status: number;
    let text: string;
    try {
      const signal = AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS);
      const headers = { "content-type": "application/json; charset=utf-8" };
      const sent = { method: "POST", headers, body: JSON.stringify(body), redirect: "error", signal } as const;
      const response = await fetch(address, sent);
      status = response.status;
      text = (await response.text()).trim();
    } catch (thrown) {
      throw new SlackCallError(fromNetwork(thrown, method));
    }
    const answer = answerOf(text);
    if (status === 200 && (answer.ok === true || text === "ok")) return;
    // The refusals come with 4xx and a word in the body.
    if (answer.error !== undefined) throw new SlackCallError(fromAnswer(answer.error, answer, method));
    throw new SlackCallError(status === 200 ? fromAnswer(text, {}, method) : fromStatus(status, method));
  }

  return {
    openView: (workspace, triggerId, view) => call(workspace, "views.open", { trigger_id: triggerId, view }),
    updateView: (workspace, { id, hash }, view) =>
      call(workspace, "views.update", { view_id: id, view, ...(hash === undefined ? {} : { hash }) }),
    async publishHome(workspace, person, view: View) {
      await call(workspace, "views.publish", { user_id: person, view });
    },
    async respond(address, page: Page | null, { visibility, replace = false }) {
      if (page === null) return post(address, { delete_original: true });
      const response_type = visibility === "asker" ? "ephemeral" : "in_channel";
      await inForms(page, ({ text, blocks }) =>
        post(address, {
          response_type,
          replace_original: replace,
          text,
          ...(blocks.length === 0 ? {} : { blocks }),
          unfurl_links: false,
          unfurl_media: false,
        }),
      );
    },
  };
}

const answered = z.looseObject({ ok: z.boolean().optional(), error: z.string().optional() });

function answerOf(text: string): z.infer<typeof answered> {
  try {
    const parsed = answered.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : {};
  } catch {
    // A bare word such as `used_url` is an answer too.
    return /^[a-z_]{3,60}$/.test(text) && text !== "ok" ? { ok: false, error: text } : {};
  }
}
