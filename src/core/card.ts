// The platform-neutral document that every channel renders; it knows nothing of reviews or platforms.

import type { PersonRef } from "./delivery.ts";

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly children: readonly Inline[] }
  /** Only links that the product built itself; a link in an agent's text has become plain text before. */
  | { readonly kind: "link"; readonly url: string; readonly children: readonly Inline[] }
  | { readonly kind: "break" };

export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly children: readonly Inline[] }
  | { readonly kind: "text"; readonly children: readonly Inline[] }
  | { readonly kind: "fields"; readonly fields: readonly Field[] }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      /** Number of the first item of an ordered list. */
      readonly start?: number;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: "table"; readonly header: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "code"; readonly language?: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "image"; readonly url: string; readonly alt: string }
  | { readonly kind: "divider" }
  /** At the top level of a card only. */
  | { readonly kind: "actions"; readonly actions: readonly ActionButton[] };

export interface Field {
  readonly label: string;
  readonly value: readonly Inline[];
}

export type Cell = readonly Inline[];

export interface ActionButton {
  readonly label: string;
  /** Opaque token `v1:<token>` of a row in `actions`, or a link that merely opens. */
  readonly token?: string;
  readonly url?: string;
  readonly style: "default" | "primary" | "danger";
}

/** `good` nothing to do; `danger` at least one high or critical problem. */
export type Tone = "neutral" | "good" | "info" | "warning" | "danger";

export interface Card {
  readonly title: string;
  readonly tone: Tone;
  /** Where the title leads, if anywhere. */
  readonly link?: string;
  /** The one-line text for notifications and for clients that show no card. */
  readonly fallback: string;
  readonly blocks: readonly Block[];
}

/** What fits into one native message of a channel. */
export interface Page {
  readonly card: Card;
  /** 1-based number and total, when a card needed several pages. */
  readonly part?: { readonly number: number; readonly of: number };
  /** People whom this page notifies, as the channel writes its own mentions; nothing else in a page ever does. */
  readonly mentions?: readonly PersonRef[];
  /** Written to be read later: where the platform can, it notifies nobody. */
  readonly quiet?: boolean;
  /** What became of the changes that it tells of, the gravest of them: for platforms that sort messages by tags. */
  readonly outcome?: Outcome;
}

/** `error`: a review failed. A skipped change is none of these. */
export type Outcome = "clean" | "findings" | "error";

/** What fits nowhere natively and goes along as a file: text, or an image such as a chart. */
export type Attachment = TextAttachment | ImageAttachment;

export interface TextAttachment {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

export interface ImageAttachment {
  readonly name: string;
  readonly mediaType: "image/png";
  /** The image's bytes in base64, so that it can be stored like any other content. */
  readonly base64: string;
  /** What the image shows, for those who cannot see it. */
  readonly alt: string;
}

/**
 * A channel's limits as data; absent means unlimited. Units are UTF-16 code units unless the name says otherwise. Text is counted
 * as a channel would write it, with markup and the addresses of links; escaping is not counted, so leave room for it.
 */
export interface CardLimits {
  /** All readable text of one page. */
  readonly pageText?: number;
  /** The page as JSON, in UTF-8 bytes. */
  readonly pageBytes?: number;
  /** Blocks at the top level of one page, actions included. */
  readonly blocks?: number;
  /** Text of one text, heading, quote or list block, with everything that stands in it. */
  readonly blockText?: number;
  /** Text of one code block at the top level. */
  readonly codeText?: number;
  readonly title?: number;
  readonly fallback?: number;
  /** Fields of one block. */
  readonly fields?: number;
  /** Label and value of one field. */
  readonly fieldText?: number;
  /** Tables a page; 0 means that the channel has no tables and they become code blocks. */
  readonly tables?: number;
  /** Rows of one table, header not counted. */
  readonly tableRows?: number;
  readonly tableColumns?: number;
  /** Buttons of one block; 0 means that the channel has none: links become text, other buttons are left out. */
  readonly actions?: number;
  readonly actionLabel?: number;
  /** Pages a card may take before the rest becomes an attachment; a channel without files takes more pages instead. */
  readonly pages?: number;
}
