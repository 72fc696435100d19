// The top of a message: the title with the sign of its tone, and the people whom the page notifies.
import type { KnownBlock, RichTextElement } from "@slack/types";
import type { Page, Tone } from "../../../src/core/card.ts";
import { plainLine } from "../escape.ts";
import { labelLies, webAddress } from "./links.ts";
import { richInlines, richText, section } from "./rich-text.ts";

/** Of a header's text. */
const MAX_HEADER = 150;

/** Slack has no coloured cards, so a sign before the title tells the tone: its name, and the character where names are not read. */
const signs: Readonly<Record<Tone, { readonly name: string; readonly character: string } | null>> = {
  neutral: null,
  good: { name: "white_check_mark", character: "\u2705" },
  info: { name: "large_blue_circle", character: "\ud83d\udd35" },
  warning: { name: "large_orange_circle", character: "\ud83d\udfe0" },
  danger: { name: "red_circle", character: "\ud83d\udd34" },
};

/** The title's words, with the page's number where there are several. */
export function titleText({ card, part }: Page): string {
  const title = plainLine(card.title).trim();
  return part === undefined ? title : `${title} (${part.number}/${part.of})`;
}

export function signOf(tone: Tone): string {
  return signs[tone] === null ? "" : `${signs[tone].character} `;
}

/** A header where the title leads nowhere and is short enough; else a line of bold text, which can lead somewhere. */
export function titleBlocks(page: Page): KnownBlock[] {
  const { tone, link } = page.card;
  const title = titleText(page);
  if (title === "") return [];
  const plain = `${signOf(tone)}${title}`;
  const url = link === undefined ? null : webAddress(link);
  if (url === null && plain.length <= MAX_HEADER) return [headerBlock(plain)];
  const sign: RichTextElement[] =
    signs[tone] === null
      ? []
      : [
          { type: "emoji", name: signs[tone].name },
          { type: "text", text: " " },
        ];
  if (url === null) return [richText([section([...sign, ...bold(title)])])];
  if (labelLies(title, url)) {
    return [richText([section([...sign, ...bold(title), { type: "text", text: " " }, { type: "link", url }])])];
  }
  return [richText([section([...sign, { type: "link", url, text: title, style: { bold: true } }])])];
}

/** Codes such as `:100:` in a path must not turn into pictures, so the text's emoji are those it holds as characters. */
export function headerBlock(text: string): KnownBlock {
  return { type: "header", text: { type: "plain_text", text, emoji: false } };
}

/** People of Slack by their ids; nobody else can be notified. */
export function mentioned({ mentions = [] }: Page): readonly string[] {
  const ids = mentions.filter(({ channel }) => channel === "slack").map(({ person }) => person);
  return [...new Set(ids)].filter((id) => /^[UW][A-Z0-9]{1,30}$/.test(id));
}

export function mentionBlocks(page: Page): KnownBlock[] {
  const elements = mentioned(page).flatMap((id, index): RichTextElement[] => [
    ...(index === 0 ? [] : [{ type: "text", text: " " } as const]),
    { type: "user", user_id: id },
  ]);
  return elements.length === 0 ? [] : [richText([section(elements)])];
}

function bold(title: string): RichTextElement[] {
  return richInlines([{ kind: "strong", children: [{ kind: "text", text: title }] }]);
}
