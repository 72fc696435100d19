// Ours → native, pure: a page as the body of a message, in its full form and in the plain one for what Discord refuses.
import type { Page } from "../../src/core/card.ts";
import { checkBudget } from "./components/budget.ts";
import { buttonRows } from "./components/buttons.ts";
import { cardComponents } from "./components/card.ts";
import { plainComponents, plainEmbed } from "./components/plain.ts";
import { mentionOf } from "./escape.ts";
import type { Origin } from "./inbound.ts";
import { type AllowedMentions, componentTypes, type MessageBody, messageFlags, type TopComponent } from "./wire.ts";

export interface RenderOptions {
  /** By which a new message is found again; see nonce.ts. */
  readonly ids?: readonly [number, number];
  /** Where its buttons belong, in a direct message. */
  readonly origin?: Origin;
  /** Only the person who acted sees it; through an interaction alone. */
  readonly isPrivate?: boolean;
  /** An edit never notifies, and cannot change who is notified. */
  readonly isEdit?: boolean;
}

/** Nothing pings but whom the page mentions: said on every body, because Discord's own default is that everything does. */
const nobody: AllowedMentions = { parse: [] };

/** Throws ChannelError `too_large` when it is over one of Discord's limits. */
export function renderPage(page: Page, options: RenderOptions = {}): MessageBody {
  const components = [...mentionLine(page), ...cardComponents(page, options)];
  checkBudget(components);
  return {
    flags: messageFlags.componentsV2 | flagsOf(page, options),
    components,
    allowed_mentions: allowedMentions(page, options),
  };
}

/** The last form: one embed with plain text, and the buttons, as messages were before components. */
export function renderPlain(page: Page, options: RenderOptions = {}): MessageBody {
  const used = new Set<string>();
  const rows = page.card.blocks.flatMap((block) =>
    block.kind === "actions" ? buttonRows(block.actions, used, options.origin).rows : [],
  );
  const mentions = mentionText(page);
  return {
    flags: flagsOf(page, options),
    ...(mentions === "" ? {} : { content: mentions }),
    embeds: [plainEmbed(page)],
    components: rows.slice(0, 5),
    allowed_mentions: allowedMentions(page, options),
  };
}

/** For an edit, where a message of components can never become anything else. */
export function renderPlainEdit(page: Page): MessageBody {
  const components = plainComponents(page);
  return { flags: messageFlags.componentsV2, components, allowed_mentions: nobody };
}

function flagsOf({ quiet }: Page, { isPrivate, isEdit }: RenderOptions): number {
  if (isEdit === true) return 0;
  return (quiet === true ? messageFlags.quiet : 0) | (isPrivate === true ? messageFlags.ephemeral : 0);
}

function allowedMentions({ mentions = [], quiet }: Page, { isEdit }: RenderOptions): AllowedMentions {
  if (isEdit === true || quiet === true) return nobody;
  const users = [...new Set(mentions.filter(isOurs).map(({ person }) => person))].slice(0, 100);
  return users.length === 0 ? nobody : { parse: [], users };
}

function mentionLine(page: Page): readonly TopComponent[] {
  const text = mentionText(page);
  return text === "" ? [] : [{ type: componentTypes.text, content: text }];
}

function mentionText({ mentions = [] }: Page): string {
  const people = new Set(mentions.filter(isOurs).map(({ person }) => person));
  return [...people]
    .slice(0, 100)
    .map((person) => mentionOf(person) ?? "")
    .join(" ");
}

function isOurs({ channel, person }: { readonly channel: string; readonly person: string }): boolean {
  return channel === "discord" && mentionOf(person) !== null;
}
