// A page as a card of JSON 2.0.
import type { Page, Tone } from "../../../src/core/card.ts";
import type { PersonRef } from "../../../src/core/delivery.ts";
import type { ButtonValue } from "./button-value.ts";
import type { CardElement, LarkCard, TextTag } from "./elements.ts";
import { escapeMarkdown, plainText, webAddress } from "./escape.ts";
import { leadsTo, writeBlocks } from "./write-blocks.ts";

export interface BuildOptions {
  /** What the buttons carry beside their token; see button-value.ts. */
  readonly place?: Omit<ButtonValue, "token">;
  /** False for a bot that hears no clicks. Default true. */
  readonly hearsClicks?: boolean;
  /** False for a bot that knows people by no id: names are written instead of mentions. Default true. */
  readonly knowsPeople?: boolean;
}

const colours: Readonly<Record<Tone, string>> = {
  neutral: "grey",
  good: "green",
  info: "blue",
  warning: "orange",
  danger: "red",
};

/** Longest title and summary, UTF-16 code units: the client shows a few lines of each. */
const MAX_TITLE = 300;
const MAX_SUMMARY = 300;

export function buildCard(page: Page, options: BuildOptions = {}): LarkCard {
  const { card, part, mentions = [] } = page;
  let made = 0;
  const nextId = (): string => {
    made += 1;
    return `e${made}`;
  };
  const blocks = writeBlocks(card.blocks, {
    nextId,
    place: options.place ?? {},
    hearsClicks: options.hearsClicks ?? true,
  });
  const elements: CardElement[] = [
    ...mentionLine(mentions, options.knowsPeople ?? true, nextId),
    ...blocks,
    ...titleLink(page, nextId),
  ];
  const tags: TextTag[] =
    part === undefined
      ? []
      : [{ tag: "text_tag", text: { tag: "plain_text", content: `${part.number}/${part.of}` }, color: "neutral" }];
  return {
    schema: "2.0",
    config: {
      update_multi: true,
      width_mode: "fill",
      summary: { content: clipped(plainText(card.fallback), MAX_SUMMARY) },
    },
    header: {
      title: { tag: "plain_text", content: clipped(plainText(card.title), MAX_TITLE) },
      template: colours[card.tone],
      ...(tags.length === 0 ? {} : { text_tag_list: tags }),
    },
    // Whether a body may be empty is written nowhere, and a title alone is a message like any other.
    body: { elements: elements.length > 0 ? elements : [{ tag: "markdown", element_id: nextId(), content: "&nbsp;" }] },
  };
}

/** An open id as the platform writes it: nothing else may stand in a mention. */
export function isOpenId(id: string): boolean {
  return /^ou_[0-9A-Za-z]{1,64}$/.test(id);
}

function mentionLine(people: readonly PersonRef[], knowsPeople: boolean, nextId: () => string): readonly CardElement[] {
  if (people.length === 0) return [];
  const written = people.map(({ person, name }) =>
    knowsPeople && isOpenId(person) ? `<at id=${person}></at>` : escapeMarkdown(`@${name ?? person}`),
  );
  return [{ tag: "markdown", element_id: nextId(), content: written.join(" ") }];
}

/** A header leads nowhere, so that the title's address stands below, unless the card leads there already. */
function titleLink({ card }: Page, nextId: () => string): readonly CardElement[] {
  const { link, blocks } = card;
  const address = link === undefined ? null : webAddress(link);
  if (link === undefined || address === null || leadsTo(blocks, link)) return [];
  const label = clipped(link.replace(/^https?:\/\//i, ""), 80);
  return [{ tag: "markdown", element_id: nextId(), content: `[${escapeMarkdown(label)}](${address})` }];
}

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
