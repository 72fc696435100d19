// Fits a card to a channel's limits without losing text: native block, simpler block, next page, attached file.
import type { Block, Card, CardLimits, Page, TextAttachment } from "../core/card.ts";
import { AppError } from "../core/errors.ts";
import { clippedText, cutPoint } from "./cut-text.ts";
import { blockTextSize, jsonBytes, type Room } from "./measure.ts";
import { splitTopBlock } from "./split-block.ts";
import { tableAsCode } from "./table-as-code.ts";
import { blocksToMarkdown } from "./to-markdown.ts";

export interface Fitted {
  /** At least one. */
  readonly pages: readonly Page[];
  /** What did not fit into the pages a card may take, as Markdown. */
  readonly attachment?: TextAttachment;
}

export interface FitOptions {
  /** False where the channel carries no files: the card then takes as many pages as it needs. Default true. */
  readonly files?: boolean;
}

/** Title, fallback and link may take this share of a page's bytes, each. */
const HEAD_SHARE = 1 / 6;
const LEAST_ROOM: Room = { text: 48, bytes: 384 };

/** Throws AppError `config` when the limits leave no room for text. */
export function fit(card: Card, limits: CardLimits, options: FitOptions = {}): Fitted {
  const { head, overflow } = fitHead(card, limits);
  const room: Room = {
    text: (limits.pageText ?? Infinity) - head.title.length,
    bytes: limits.pageBytes === undefined ? Infinity : limits.pageBytes - jsonBytes({ card: head, part: widestPart }),
  };
  if (room.text < LEAST_ROOM.text || room.bytes < LEAST_ROOM.bytes || limits.blocks === 0) {
    throw new AppError("config", "The channel's limits leave no room for a message.", {
      remedy: "Raise pageText, pageBytes or blocks of the channel's limits.",
    });
  }
  const blocks: readonly Block[] = overflow === "" ? card.blocks : [titleRest(overflow), ...card.blocks];
  const sheets = pack(blocks, room, limits);
  const most = options.files === false ? Infinity : (limits.pages ?? Infinity);
  const kept = sheets.slice(0, most);
  const rest = sheets.slice(most).flat();
  const of = kept.length;
  const pages = kept.map(
    (sheet, index): Page => ({
      card: { ...head, blocks: sheet },
      ...(of === 1 ? {} : { part: { number: index + 1, of } }),
    }),
  );
  if (rest.length === 0) return { pages };
  const attachment = { name: fileName(card.title), mediaType: "text/markdown", text: blocksToMarkdown(rest) };
  return { pages, attachment };
}

/** The limits for the second try after a channel refused the size of a page: half the size, twice the pages. */
export function halved(limits: CardLimits): CardLimits {
  const half = (
    ["pageText", "pageBytes", "blocks", "blockText", "codeText", "fieldText", "tables", "tableRows"] as const
  )
    .filter((name) => limits[name] !== undefined)
    .map((name) => [name, Math.max(name === "tables" ? 0 : 1, Math.floor((limits[name] ?? 0) / 2))]);
  return {
    ...limits,
    ...Object.fromEntries(half),
    ...(limits.pages === undefined ? {} : { pages: limits.pages * 2 }),
  };
}

const widestPart = { number: 9999, of: 9999 };

interface Head {
  readonly head: Card;
  /** What of the title did not fit. */
  readonly overflow: string;
}

function fitHead(card: Card, limits: CardLimits): Head {
  const share = limits.pageBytes === undefined ? Infinity : Math.floor(limits.pageBytes * HEAD_SHARE);
  const titleLimit = Math.min(
    limits.title ?? Infinity,
    Math.floor((limits.pageText ?? Infinity) / 3),
    byBytes(card.title, share),
  );
  const cut = cutPoint(card.title, Math.max(1, titleLimit));
  const { link, ...rest } = card;
  const fallbackLimit = Math.min(limits.fallback ?? Infinity, byBytes(card.fallback, share));
  const head: Card = {
    ...rest,
    title: card.title.slice(0, cut),
    fallback: clippedText(card.fallback, Math.max(1, fallbackLimit)),
    ...(link === undefined || jsonBytes(link) > share ? {} : { link }),
    blocks: [],
  };
  return { head, overflow: card.title.slice(cut).trimStart() };
}

/** A length whose JSON is within so many bytes. */
function byBytes(text: string, bytes: number): number {
  if (bytes === Infinity || jsonBytes(text) <= bytes) return Infinity;
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // Three bytes are kept for an ellipsis.
    if (jsonBytes(text.slice(0, middle)) + 3 <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

function titleRest(text: string): Block {
  return { kind: "text", children: [{ kind: "strong", children: [{ kind: "text", text }] }] };
}

interface Sheet {
  blocks: Block[];
  text: number;
  bytes: number;
  tables: number;
}

function pack(blocks: readonly Block[], room: Room, limits: CardLimits): readonly (readonly Block[])[] {
  const sheets: Sheet[] = [emptySheet()];
  for (const block of blocks) for (const part of splitTopBlock(block, room, limits)) place(part);
  return sheets.map((sheet) => sheet.blocks);

  function place(block: Block): void {
    const sheet = sheets.at(-1) ?? emptySheet();
    if (block.kind === "table" && sheet.tables >= (limits.tables ?? Infinity)) {
      for (const part of splitTopBlock(tableAsCode(block), room, limits)) place(part);
      return;
    }
    if (add(sheet, block)) return;
    const next = emptySheet();
    moveHeadings(sheet, next, block);
    sheets.push(next);
    add(next, block);
  }

  function add(sheet: Sheet, block: Block): boolean {
    const text = sheet.text + blockTextSize(block);
    const bytes = room.bytes === Infinity ? 0 : sheet.bytes + jsonBytes(block);
    if (text > room.text || bytes > room.bytes || sheet.blocks.length >= (limits.blocks ?? Infinity)) return false;
    sheet.blocks.push(block);
    sheet.text = text;
    sheet.bytes = bytes;
    if (block.kind === "table") sheet.tables++;
    return true;
  }

  /** A heading stays with what it heads. */
  function moveHeadings(from: Sheet, to: Sheet, next: Block): void {
    const start = from.blocks.findLastIndex((block) => block.kind !== "heading") + 1;
    const headings = from.blocks.slice(start);
    if (start === 0 || headings.length === 0) return;
    const trial = emptySheet();
    if (![...headings, next].every((block) => add(trial, block))) return;
    from.blocks.splice(start);
    for (const heading of headings) add(to, heading);
  }
}

function emptySheet(): Sheet {
  return { blocks: [], text: 0, bytes: 0, tables: 0 };
}

function fileName(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 48);
  return `${slug === "" ? "message" : slug}.md`;
}
