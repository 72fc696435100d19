// The smallest form of a page, for what Discord refuses to take as it is: an embed with plain text, or one text of V2 for an edit.
import type { Page } from "../../../src/core/card.ts";
import { pageText } from "../../kit/plain-text.ts";
import { cleanText, escapeText, safeUrl } from "../escape.ts";
import { componentTypes, type Embed, type TopComponent } from "../wire.ts";
import { toneColours } from "./card.ts";

/** Every escape may double a sign: twice this is within an embed's 4,096 and V2's 4,000 characters. */
const PLAIN_TEXT = 1_800;
const EMBED_TITLE = 256;

export function plainEmbed(page: Page): Embed {
  const { card } = page;
  const url = card.link === undefined ? null : safeUrl(card.link);
  const colour = toneColours[card.tone];
  const title = clipped(cleanText(card.title).replaceAll("\n", " "), EMBED_TITLE);
  const text = clipped(pageText({ ...page, card: { ...card, title: "" } }), PLAIN_TEXT);
  return {
    ...(title === "" ? {} : { title }),
    ...(url === null || title === "" ? {} : { url }),
    description: text.trim() === "" ? "\u2060" : escapeText(text, true),
    ...(colour === undefined ? {} : { color: colour }),
  };
}

export function plainComponents(page: Page): readonly TopComponent[] {
  const text = clipped(pageText(page), PLAIN_TEXT);
  return [{ type: componentTypes.text, content: text.trim() === "" ? "\u2060\u2026" : escapeText(text, true) }];
}

export function clipped(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/\p{Surrogate}$/u, "")}\u2026`;
}
