// Posts of a forum: a thread with its first message in one call, and the tag that tells its outcome.
import type { Outcome, Page } from "../../src/core/card.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { codes } from "./faults.ts";
import { object, type Place, type Places, type Tag } from "./places.ts";
import type { SendMessage } from "./posting.ts";
import type { RenderOptions } from "./render.ts";
import type { DiscordRest, RestAnswer, RestFile } from "./rest.ts";
import { threadName } from "./threads.ts";

export interface ForumPorts {
  readonly rest: DiscordRest;
  readonly places: Places;
  readonly logger: Logger;
  readonly defaultName: () => Promise<string>;
}

export interface Forum {
  /** Discord knows no nonce here: who does not know whether it was sent has to look before sending again. */
  post(forum: Place, page: Page, options: RenderOptions, send: SendMessage): Promise<RestAnswer>;
  /** Gives a post the tag of what its page says now; a courtesy that fails in silence. */
  retag(forum: Place, thread: string, page: Page): Promise<void>;
}

interface Post {
  readonly forum: Place;
  readonly name: string;
  readonly page: Page;
  readonly message: unknown;
  readonly files: readonly RestFile[] | undefined;
}

const ARCHIVE_MINUTES = 10_080;
const MAX_TAGS = 5;

export function createForum({ rest, places, logger, defaultName }: ForumPorts): Forum {
  return {
    async post(forum, page, options, send) {
      let place = forum;
      let name = threadName(page.card.title === "" ? page.card.fallback : page.card.title);
      return send(options, async (message, files) => {
        const first = await start({ forum: place, name, page, message, files });
        if (first.ok) return first;
        const { code } = first.refusal;
        if (code === codes.tagRequired) {
          // The forum's rules or tags have changed since we looked.
          place = await places.fresh(forum.id);
          return start({ forum: { ...place, requiresTag: true }, name, page, message, files });
        }
        if (code === codes.autoModTitle || code === codes.autoMod) name = threadName(await defaultName());
        return first;
      });
    },
    async retag(forum, thread, page) {
      const wanted = tagsFor(forum, page);
      if (wanted.length === 0) return;
      const place = await places.get(thread).catch(() => null);
      if (place === null || wanted.every((id) => place.appliedTags.includes(id))) return;
      const ours = new Set(forum.tags.filter(({ name }) => outcomeOf(name) !== null).map(({ id }) => id));
      const kept = place.appliedTags.filter((id) => !ours.has(id));
      const body = { applied_tags: [...wanted, ...kept].slice(0, MAX_TAGS) };
      const answer = await rest.call({ method: "PATCH", path: `/channels/${thread}`, body });
      places.forget(thread);
      if (!answer.ok) logger.debug("discord.not_tagged", { thread, code: answer.refusal.code });
    },
  };

  function start({ forum, name, page, message, files }: Post): Promise<RestAnswer> {
    const tags = tagsFor(forum, page);
    const body = {
      name,
      auto_archive_duration: ARCHIVE_MINUTES,
      message,
      ...(tags.length === 0 ? {} : { applied_tags: tags }),
    };
    return rest.call({
      method: "POST",
      path: `/channels/${forum.id}/threads`,
      body,
      ...(files === undefined ? {} : { files }),
    });
  }
}

/** Ids of the tags for a page; where the forum wants one and none tells the outcome, the first that everybody may give. */
export function tagsFor({ tags, requiresTag }: Place, page: Page): readonly string[] {
  const outcome = page.outcome ?? outcomeByTone(page);
  // Moderated tags take a right that we do not ask for.
  const free = tags.filter(({ moderated }) => !moderated);
  const fitting = free.find(({ name }) => outcome !== null && outcomeOf(name) === outcome);
  if (fitting !== undefined) return [fitting.id];
  if (!requiresTag) return [];
  const other = free.find(isNeutral) ?? free[0];
  return other === undefined ? [] : [other.id];
}

function outcomeByTone({ card, quiet }: Page): Outcome | null {
  if (quiet === true) return null;
  if (card.tone === "danger" || card.tone === "warning") return "findings";
  return card.tone === "good" ? "clean" : null;
}

const outcomes: readonly Outcome[] = ["clean", "findings", "error"];

function outcomeOf(name: string): Outcome | null {
  return outcomes.find((one) => one === name.trim().toLowerCase()) ?? null;
}

/** A tag that claims no outcome is the better choice for what has none. */
function isNeutral({ name }: Tag): boolean {
  return outcomeOf(name) === null;
}

/** The thread and message that a post became: they share their id. */
export function postedId(value: unknown): string {
  const { id, message } = object(value);
  const { id: starter } = object(message);
  return String(starter ?? id);
}
