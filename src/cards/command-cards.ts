// The cards that answer commands at once: help, lists, the state of reviews, and mistakes with the nearest right command.
import type { Block, Card, Inline } from "../core/card.ts";
import type { ParsedCommand } from "../core/command.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { type CommandNames, typed } from "./command-names.ts";
import { composeFailure } from "./compose-failure.ts";
import { composeNote } from "./compose-note.ts";

type Mistake = Extract<ParsedCommand, { ok: false }>;

export interface CommandCardsOptions {
  readonly texts: Texts;
  readonly names: CommandNames;
}

export interface ListedRepository {
  readonly alias: string;
  readonly vcs: string;
}

export interface CommandCards {
  help(locale: string): Card;
  repositories(repositories: readonly ListedRepository[], locale: string): Card;
  status(
    reviews: readonly Review[],
    queue: { readonly queued: number; readonly running: number },
    locale: string,
  ): Card;
  /** What does not exist, and what may not be seen or done here, are told apart by nobody. */
  refused(object: string, locale: string): Card;
  cancelled(id: string, outcome: "cancelled" | "requested" | "finished", locale: string): Card;
  overQuota(quota: { readonly perMinute: number; readonly retryAfterMs: number }, locale: string): Card;
  mistake(mistake: Mistake, locale: string): Card;
  unknownAgent(agent: string, agents: readonly string[], locale: string): Card;
}

export function createCommandCards({ texts, names }: CommandCardsOptions): CommandCards {
  const note = (locale: string, key: string, params: Record<string, string | number> = {}): Card =>
    composeNote({ texts, locale }, key, params);

  return {
    help: (locale) => note(locale, "command.help", { command: names.review, verbs: names.verbs }),
    repositories(repositories, locale) {
      if (repositories.length === 0) return note(locale, "command.repos.none");
      const card = note(locale, "command.repos", { n: repositories.length });
      const items = repositories.map(({ alias, vcs }) =>
        item(texts.text("command.repos.item.plain", locale, { repository: alias, vcs })),
      );
      return { ...card, blocks: [list(items)] };
    },
    status(reviews, { queued, running }, locale) {
      const card = note(locale, "command.status.queue", { queued, running });
      if (reviews.length === 0) return { ...card, blocks: item(texts.text("command.status.none", locale)) };
      return { ...card, blocks: [list(reviews.map((review) => item(statusLine(review, locale))))] };
    },
    refused: (object, locale) => note(locale, "command.refused", { object }),
    cancelled: (id, outcome, locale) => note(locale, `cancel.${outcome}`, { review: id }),
    overQuota: ({ perMinute, retryAfterMs }, locale) =>
      note(locale, "command.quota", { n: perMinute, seconds: Math.ceil(retryAfterMs / 1_000) }),
    mistake(mistake, locale) {
      const key = mistake.reason === "unknown_word" ? "command.unknown" : `command.${mistake.reason}`;
      return note(locale, key, { word: mistake.word, nearest: typed(names, mistake.nearest) });
    },
    unknownAgent: (agent, agents, locale) =>
      composeFailure({
        texts,
        locale,
        failure: {
          message: `There is no agent ${agent}.`,
          remedy: `Configured agents: ${agents.join(", ")}.`,
          reason: "unknown_agent",
          params: { agent },
        },
      }),
  };

  function statusLine(review: Review, locale: string): string {
    const status = texts.text(`status.${review.status}`, locale);
    const { id, repository, spec } = review;
    return texts.text("command.status.review", locale, { review: id, repository, spec: spec || "HEAD", status });
  }
}

function list(items: readonly (readonly Block[])[]): Block {
  return { kind: "list", ordered: false, items };
}

function item(text: string): Block[] {
  const children: Inline[] = [{ kind: "text", text }];
  return [{ kind: "text", children }];
}
