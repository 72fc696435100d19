// Tells the asker, and nobody else, how far a review is: one private message, edited in place, on a best-effort basis.
import type { Page } from "../core/card.ts";
import type { MessageRef, Target } from "../core/delivery.ts";
import type { ReviewId } from "../core/ids.ts";
import { type Channel, ChannelError } from "../ports/channel.ts";

import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";

export type ProgressNote =
  | { readonly kind: "accepted" | "fetching" | "retrying" | "publishing" | "cancelled" }
  | { readonly kind: "reviewing"; readonly files: number };

/** Composes the private message for a note. */
export type ComposeProgress = (note: ProgressNote, repository: string, spec: string, locale: string) => Promise<Page>;

export interface ShowProgressPorts {
  readonly store: Pick<Store, "review" | "setProgress">;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly compose: ComposeProgress;

  readonly logger: Logger;
}

export interface ShowProgress {
  /** Posts the first message, and keeps its place in the store. */
  open(review: ReviewId): Promise<void>;
  /** Edits the message; does nothing for feeds, for finished reviews and on channels that cannot edit. */
  note(review: ReviewId, note: ProgressNote): Promise<void>;
}

export function createShowProgress({ store, channels, compose, logger }: ShowProgressPorts): ShowProgress {
  return { open: (id) => attempt(id, () => open(id)), note: (id, note) => attempt(id, () => edit(id, note)) };

  async function open(id: ReviewId): Promise<void> {
    const review = await store.review(id);
    if (review?.requester.kind !== "person" || review.progress !== undefined) return;
    const { conversation, person, thread } = review.requester;
    const channel = channels.get(conversation.channel);
    if (channel === undefined) return;
    const target: Target = { conversation, onlyFor: person, ...(thread === undefined ? {} : { thread }) };
    const page = await compose({ kind: "accepted" }, review.repository, review.spec, review.locale);
    const ref: MessageRef = await channel.send(target, page, `${id}/progress`);
    await store.setProgress(id, ref);
  }

  async function edit(id: ReviewId, note: ProgressNote): Promise<void> {
    const review = await store.review(id);
    if (review?.progress === undefined) return;
    const hasEnded = review.status !== "queued" && review.status !== "running";
    if (hasEnded && note.kind !== "cancelled") return;
    const channel = channels.get(review.progress.channel);
    if (!channel?.capabilities.edit) return;
    await channel.edit(review.progress, await compose(note, review.repository, review.spec, review.locale));
  }

  /** Progress is a courtesy: a failure is logged and changes nothing. */
  async function attempt(id: ReviewId, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      // On some platforms nothing can edit what only one person sees; the result comes as a message of its own.
      if (thrown instanceof ChannelError && thrown.fault === "gone")
        return logger.debug("progress.gone", { review: id });
      logger.warn("progress.failed", { review: id, error: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
}
