// A page as Components V2: one container with the tone's colour, its texts, dividers and rows of buttons.
import type { ActionButton, Block, Card, Page, Tone } from "../../../src/core/card.ts";
import { escapeText, maskedLink, safeUrl } from "../escape.ts";
import type { Origin } from "../inbound.ts";
import { blocksMarkdown, linksMarkdown } from "../markdown.ts";
import { componentTypes, type Inner, type TopComponent } from "../wire.ts";
import { buttonRows } from "./buttons.ts";

/** 0xRRGGBB; none for what has nothing to say by its colour. */
export const toneColours: Readonly<Record<Tone, number | undefined>> = {
  neutral: undefined,
  good: 0x2e7d32,
  info: 0x1e6fd9,
  warning: 0xd98e04,
  danger: 0xc62828,
};

export interface CardOptions {
  /** Where its buttons belong, in a direct message. */
  readonly origin?: Origin;
  /** Ids of the first component and of the first text in it, by which the message is found again. */
  readonly ids?: readonly [number, number];
  readonly withButtons?: boolean;
}

export function cardComponents(page: Page, options: CardOptions = {}): readonly TopComponent[] {
  const { card } = page;
  const { origin, ids, withButtons = true } = options;
  const used = new Set<string>();
  const inner: Inner[] = [];
  let texts: Block[] = [];
  const title = titleMarkdown(page);

  const flush = (extra: readonly ActionButton[] = []): void => {
    const body = [blocksMarkdown(texts), linksMarkdown(extra)].filter((text) => text !== "").join("\n\n");
    texts = [];
    if (body !== "") inner.push({ type: componentTypes.text, content: body });
  };

  if (title !== "") inner.push({ type: componentTypes.text, content: title });
  for (const block of card.blocks) {
    if (block.kind === "divider") {
      flush();
      // A divider that divides nothing is not shown.
      if (inner.length > 0 && inner.at(-1)?.type !== componentTypes.separator)
        inner.push({ type: componentTypes.separator });
    } else if (block.kind === "actions") {
      const { rows, asText } = withButtons
        ? buttonRows(block.actions, used, origin)
        : { rows: [], asText: block.actions };
      flush(asText);
      inner.push(...rows);
    } else texts.push(block);
  }
  flush();
  while (inner.at(-1)?.type === componentTypes.separator) inner.pop();
  if (inner.length === 0) inner.push({ type: componentTypes.text, content: "\u2060\u2026" });
  return named(isOneLine(page) ? inner : [container(card, inner)], ids);
}

/** An audit line is text, not a box: a busy feed stays readable. */
function isOneLine({ card, quiet }: Page): boolean {
  return quiet === true && card.blocks.every(({ kind }) => kind === "list");
}

function container({ tone }: Card, components: readonly Inner[]): TopComponent {
  const colour = toneColours[tone];
  return {
    type: componentTypes.container,
    ...(colour === undefined ? {} : { accent_color: colour }),
    components,
  };
}

/** The first component, and the first text in it, get their ids. */
function named(
  components: readonly TopComponent[],
  ids: readonly [number, number] | undefined,
): readonly TopComponent[] {
  const [first, ...others] = components;
  if (ids === undefined || first === undefined) return components;
  if (first.type !== componentTypes.container) return [{ ...first, id: ids[0] } as TopComponent, ...others];
  const [text, ...rest] = first.components;
  const inside = text === undefined ? [] : [{ ...text, id: ids[1] } as Inner, ...rest];
  return [{ ...first, id: ids[0], components: inside }, ...others];
}

export function titleMarkdown(page: Page): string {
  const { card, part } = page;
  if (card.title === "") return "";
  const number = part === undefined ? "" : ` (${part.number}/${part.of})`;
  const line = `${card.title}${number}`.replace(/\s*\n\s*/g, " ");
  const url = card.link === undefined ? null : safeUrl(card.link);
  const text = url === null ? escapeText(line, true) : maskedLink(line, url);
  return isOneLine(page) ? text : `### ${text}`;
}
