// A page as a Slack message, in three forms: the newest blocks, classic blocks for who refuses those, and text for who refuses both.
import type { KnownBlock } from "@slack/types";
import type { Block, Page } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import { checkBudget, maxBlockText } from "./blocks/budget.ts";
import { classicBlocks, classicInlines, classicText, sections } from "./blocks/classic.ts";
import { newestBlocks } from "./blocks/newest.ts";
import { headerBlock, mentionBlocks, mentioned, signOf, titleBlocks, titleText } from "./blocks/title.ts";
import { clip, mrkdwnText, plainLine } from "./escape.ts";

/** Of the top-level text, which notifications and screen readers read. */
const MAX_TEXT = 3_000;
const MAX_HEADER = 150;

export interface SlackMessage {
  /** What notifications say; escaped, without mentions. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

/** Throws ChannelError `too_large` when the page would not fit into one message. */
export function renderPage(page: Page): SlackMessage {
  const blocks = [...titleBlocks(page), ...mentionBlocks(page), ...newestBlocks(page.card.blocks)];
  checkBudget(blocks);
  return blocks.length === 0 ? { text: summary(page), blocks: [] } : { text: summary(page), blocks };
}

/** The same in blocks that Slack has had from the beginning. */
export function renderClassic(page: Page): SlackMessage {
  const blocks = [...classicTitle(page), ...classicMentions(page), ...classicBlocks(page.card.blocks)];
  checkBudget(blocks);
  return { text: summary(page), blocks };
}

/** The same without any block; buttons cannot be shown. */
export function renderText(page: Page): SlackMessage {
  const title = classicTitleLine(page);
  const names = mentioned(page).map((id) => `<@${id}>`);
  const text = [title, names.join(" "), classicText(page.card.blocks)].filter((part) => part !== "").join("\n");
  if (text.length > maxBlockText) {
    throw new ChannelError("too_large", `The page is ${text.length} characters of at most ${maxBlockText} as text.`);
  }
  return { text: text === "" ? "\u2026" : text, blocks: [] };
}

/** Blocks of a card for other surfaces, such as the App Home; nothing is checked but each block's own limits. */
export function renderBlocks(blocks: readonly Block[]): KnownBlock[] {
  return newestBlocks(blocks);
}

function summary(page: Page): string {
  const { fallback, title } = page.card;
  const text = plainLine(fallback.trim() === "" ? title : fallback).trim();
  const escaped = mrkdwnText(clip(text, MAX_TEXT));
  return escaped === "" ? "\u2026" : escaped;
}

function classicTitle(page: Page): KnownBlock[] {
  const text = `${signOf(page.card.tone)}${titleText(page)}`;
  if (titleText(page) === "") return [];
  if (page.card.link === undefined && text.length <= MAX_HEADER) return [headerBlock(text)];
  return sections([classicTitleLine(page)]);
}

function classicTitleLine(page: Page): string {
  const title = titleText(page);
  if (title === "") return "";
  const inlines = [{ kind: "text", text: title }] as const;
  const { link, tone } = page.card;
  const shown = link === undefined ? inlines : [{ kind: "link", url: link, children: inlines } as const];
  return `${signOf(tone)}${classicInlines(shown, ["*"]).join("")}`;
}

function classicMentions(page: Page): KnownBlock[] {
  const names = mentioned(page).map((id) => `<@${id}>`);
  return names.length === 0 ? [] : sections([names.join(" ")]);
}
