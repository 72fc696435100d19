// The bodies that we send to Discord, as far as we use them.

/** Bits of a message's `flags`. */
export const messageFlags = {
  /** Only the person who acted sees it; through an interaction alone. */
  ephemeral: 1 << 6,
  /** Nobody is notified of it. */
  quiet: 1 << 12,
  /** Its content is components; for good. */
  componentsV2: 1 << 15,
} as const;

export const componentTypes = {
  row: 1,
  button: 2,
  textInput: 4,
  text: 10,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
} as const;

export interface Button {
  readonly type: typeof componentTypes.button;
  /** 1 primary, 2 secondary, 4 danger, 5 a link. */
  readonly style: 1 | 2 | 4 | 5;
  readonly label: string;
  readonly custom_id?: string;
  readonly url?: string;
}

export interface ActionRow {
  readonly type: typeof componentTypes.row;
  readonly components: readonly Button[];
}

export interface TextDisplay {
  readonly type: typeof componentTypes.text;
  readonly id?: number;
  readonly content: string;
}

export interface Separator {
  readonly type: typeof componentTypes.separator;
}

export interface FileDisplay {
  readonly type: typeof componentTypes.file;
  readonly id?: number;
  readonly file: { readonly url: `attachment://${string}` };
}

export interface Gallery {
  readonly type: typeof componentTypes.gallery;
  readonly id?: number;
  readonly items: readonly {
    readonly media: { readonly url: `attachment://${string}` };
    readonly description?: string;
  }[];
}

export type Inner = ActionRow | TextDisplay | Separator | FileDisplay | Gallery;

export interface Container {
  readonly type: typeof componentTypes.container;
  readonly id?: number;
  /** 0xRRGGBB. */
  readonly accent_color?: number;
  readonly components: readonly Inner[];
}

export type TopComponent = Inner | Container;

export interface AllowedMentions {
  /** Always empty: no kind of mention pings by standing in a text. */
  readonly parse: readonly [];
  readonly users?: readonly string[];
  readonly replied_user?: false;
}

export interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly color?: number;
}

/** A message without what only its creation has. */
export interface MessageBody {
  readonly flags: number;
  readonly content?: string | null;
  readonly embeds?: readonly Embed[];
  readonly components: readonly TopComponent[];
  readonly allowed_mentions: AllowedMentions;
  readonly attachments?: readonly {
    readonly id: string;
    readonly filename: string;
    readonly description?: string;
  }[];
}
