// What the Slack channel says itself, in the languages of the product.
import { composeNote } from "../../src/cards/compose-note.ts";
import type { Page } from "../../src/core/card.ts";
import { localeNamed } from "../../src/core/locale.ts";
import type { Texts } from "../../src/ports/texts.ts";
import type { SubscribeWords } from "./modals.ts";

export interface Words {
  /** A note: its first line is the title. */
  page(key: string, locale: string | undefined, params?: Readonly<Record<string, string | number>>): Promise<Page>;
  say(key: string, locale: string | undefined): Promise<string>;
  subscribe(locale: string | undefined): Promise<SubscribeWords>;
}

export function createWords(texts: () => Promise<Texts>): Words {
  const say = async (key: string, locale: string | undefined): Promise<string> =>
    (await texts()).text(key, spoken(locale));
  return {
    say,
    async page(key, locale, params = {}) {
      return { card: composeNote({ texts: await texts(), locale: spoken(locale) }, key, params) };
    },
    async subscribe(locale) {
      const [title, submit, cancel, conversation, repository, filters, filtersHint, none] = await Promise.all([
        say("slack.subscribe.title", locale),
        say("slack.subscribe.submit", locale),
        say("slack.cancel", locale),
        say("slack.subscribe.conversation", locale),
        say("slack.repository", locale),
        say("slack.subscribe.filters", locale),
        say("slack.subscribe.filters_hint", locale),
        say("slack.subscribe.none", locale),
      ]);
      return { title, submit, cancel, conversation, repository, filters, filtersHint, none };
    },
  };
}

function spoken(locale: string | undefined): string {
  return (locale === undefined ? null : localeNamed(locale)) ?? "en";
}
