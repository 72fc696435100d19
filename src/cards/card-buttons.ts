// Buttons on cards: put below what a card says, and put anew, with what became of it, when somebody pressed one.
import type { ActionKind, PlannedAction } from "../core/action.ts";
import type { ActionButton, Block, Card, CardLimits, Inline, Page } from "../core/card.ts";
import type { Say } from "./change-view.ts";
import { fit } from "./fit.ts";

const styles: Readonly<Record<ActionKind, ActionButton["style"]>> = {
  dismiss: "danger",
  reopen: "default",
  acknowledge: "default",
  mute_kind: "default",
  rerun: "default",
  show_more: "default",
};

export function buttonFor({ kind, token }: PlannedAction, say: Say): ActionButton {
  return { label: say(`action.${kind}`), token, style: styles[kind] };
}

/** Opens a page of the web; null where there is none. */
export function openButton(url: string | null, say: Say): ActionButton | null {
  return url === null ? null : { label: say("action.open"), url, style: "default" };
}

/** The card with the buttons as its last block. */
export function withButtons(card: Card, buttons: readonly (ActionButton | null)[]): Card {
  const actions = buttons.filter((button) => button !== null);
  return actions.length === 0 ? card : { ...card, blocks: [...card.blocks, { kind: "actions", actions }] };
}

/** Tokens of the buttons that a page shows. */
export function tokensOn({ card }: Page): readonly string[] {
  return card.blocks.flatMap((block) => (block.kind === "actions" ? buttonTokens(block.actions) : []));
}

export interface CardState {
  /** What became of it, a sentence each; plain text, whatever it holds. */
  readonly lines: readonly string[];
  readonly buttons: readonly ActionButton[];
  /** Nothing is left to do: the card steps back. */
  readonly settled: boolean;
}

/**
 * The page as it looks now: its state on top, links to open kept, the other buttons replaced. Where that is too long for one
 * message, the state takes the place of what stood there.
 */
export function withState(page: Page, { lines, buttons, settled }: CardState, limits: CardLimits): Page {
  const { card } = page;
  const body = card.blocks.filter((block) => block.kind !== "actions");
  const links = card.blocks.flatMap((block) =>
    block.kind === "actions" ? block.actions.filter(({ token }) => token === undefined) : [],
  );
  const sentences = lines.map((line): Block => ({ kind: "text", children: [strong(line)] }));
  const head: Card = { ...card, ...(settled ? { tone: "neutral" } : {}) };
  for (const kept of [body, []]) {
    const { pages } = fit(withButtons({ ...head, blocks: [...sentences, ...kept] }, [...buttons, ...links]), limits);
    const [only, ...others] = pages;
    if (only !== undefined && others.length === 0) return page.part === undefined ? only : { ...only, part: page.part };
  }
  return page;
}

function strong(text: string): Inline {
  return { kind: "strong", children: [{ kind: "text", text }] };
}

function buttonTokens(actions: readonly ActionButton[]): readonly string[] {
  return actions.flatMap(({ token }) => (token === undefined ? [] : [token]));
}
