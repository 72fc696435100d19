// A card from one catalogue text as its head and a list of lines below it; values stay plain text, whatever they hold.
import type { Block, Card, Inline, Tone } from "../core/card.ts";
import type { Texts } from "../ports/texts.ts";
import { composeNote } from "./compose-note.ts";

export type NoteParams = Readonly<Record<string, string | number>>;

/** Composes cards of one language of the catalogue. */
export interface NoteWriter {
  note(key: string, params?: NoteParams, tone?: Tone): Card;
  say(key: string, params?: NoteParams): string;
  has(key: string): boolean;
}

export function noteWriter(texts: Texts, locale: string): NoteWriter {
  return {
    note: (key, params = {}, tone = "neutral") => composeNote({ texts, locale, tone }, key, params),
    say: (key, params = {}) => texts.text(key, locale, params),
    has: texts.has,
  };
}

export interface ListLine {
  readonly text: string;
  /** Shown as code behind the text. */
  readonly code?: string;
  /** Where the text leads. */
  readonly url?: string;
  readonly below?: readonly string[];
}

/** The list takes its place behind what the card holds already. */
export function withList(card: Card, lines: readonly ListLine[]): Card {
  if (lines.length === 0) return card;
  return { ...card, blocks: [...card.blocks, { kind: "list", ordered: false, items: lines.map(itemOf) }] };
}

function itemOf({ text, code, url, below = [] }: ListLine): Block[] {
  const words: Inline = { kind: "text", text };
  const first: Inline = url === undefined ? words : { kind: "link", url, children: [words] };
  const children: Inline[] =
    code === undefined ? [first] : [first, { kind: "text", text: " " }, { kind: "code", text: code }];
  const items = below.map((line): Block[] => [{ kind: "text", children: [{ kind: "text", text: line }] }]);
  const nested: Block[] = items.length === 0 ? [] : [{ kind: "list", ordered: false, items }];
  return [{ kind: "text", children }, ...nested];
}
