// Ours → native, pure: a page as a linted card, or as the text that takes its place when no card is taken.
import type { Page } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import { pageText } from "../kit/plain-text.ts";
import { type BuildOptions, buildCard, isOpenId } from "./card/build-card.ts";
import type { LarkCard } from "./card/elements.ts";
import { messageText, plainText, webAddress } from "./card/escape.ts";
import { isSizeVerdict, type LintVerdict, lintCard } from "./card/lint-card.ts";

/** Longest text message, bytes as it stands in a request: the platform takes 150 KB. */
const MAX_TEXT_BYTES = 140 * 1024;

export type CheckedCard =
  | { readonly ok: true; readonly card: LarkCard }
  /** A mistake of ours: the platform would refuse this card however small. */
  | { readonly ok: false; readonly verdicts: readonly LintVerdict[] };

/** Throws ChannelError `too_large`. */
export function renderCard(page: Page, options: BuildOptions = {}): CheckedCard {
  return checkCard(buildCard(page, options));
}

/** Throws ChannelError `too_large`. */
export function checkCard(card: LarkCard): CheckedCard {
  const verdicts = lintCard(card);
  if (verdicts.length === 0) return { ok: true, card };
  const [first] = verdicts;
  if (first !== undefined && verdicts.every(isSizeVerdict)) {
    throw new ChannelError("too_large", `The card ${first.message}.`);
  }
  return { ok: false, verdicts };
}

/**
 * Everything a page says, as a message of type `text`: buttons that only a card can offer are left out.
 * Throws ChannelError `too_large`.
 */
export function renderText(page: Page, { knowsPeople = true }: Pick<BuildOptions, "knowsPeople"> = {}): string {
  const mentions = (page.mentions ?? []).map(({ person, name }) =>
    knowsPeople && isOpenId(person)
      ? `<at user_id="${person}">${messageText(name ?? "")}</at>`
      : messageText(`@${name ?? person}`),
  );
  const { link } = page.card;
  const address = link === undefined ? null : webAddress(link);
  const parts = [mentions.join(" "), messageText(pageText(page)), address === null ? "" : messageText(address)];
  const text = parts.filter((part) => part !== "").join("\n\n");
  const written = JSON.stringify(JSON.stringify({ text }));
  if (Buffer.byteLength(written) > MAX_TEXT_BYTES)
    throw new ChannelError("too_large", "The text has more than 140 KB.");
  return text;
}

/** A card that shows one uploaded picture. */
export function renderImage(imageKey: string, alt: string): LarkCard {
  const words = plainText(alt);
  return {
    schema: "2.0",
    config: { update_multi: true, width_mode: "fill", summary: { content: words.slice(0, 300) } },
    header: { title: { tag: "plain_text", content: words.slice(0, 300) }, template: "grey" },
    body: {
      elements: [{ tag: "img", element_id: "e1", img_key: imageKey, alt: { tag: "plain_text", content: words } }],
    },
  };
}

export function verdictText(verdicts: readonly LintVerdict[]): string {
  return verdicts
    .slice(0, 3)
    .map(({ rule, path, message }) => `${rule} at ${path === "" ? "the card" : path}: ${message}`)
    .join("; ");
}
