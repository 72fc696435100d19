// Card JSON 2.0, as much of it as the bot sends.

export interface PlainText {
  readonly tag: "plain_text";
  readonly content: string;
}

export interface TextTag {
  readonly tag: "text_tag";
  readonly text: PlainText;
  readonly color: string;
}

export interface MarkdownElement {
  readonly tag: "markdown";
  readonly element_id?: string;
  readonly content: string;
}

export interface DividerElement {
  readonly tag: "hr";
  readonly element_id?: string;
}

export interface ImageElement {
  readonly tag: "img";
  readonly element_id?: string;
  readonly img_key: string;
  readonly alt: PlainText;
}

export type ButtonBehavior =
  | { readonly type: "callback"; readonly value: Readonly<Record<string, string>> }
  | { readonly type: "open_url"; readonly default_url: string };

export interface ButtonElement {
  readonly tag: "button";
  readonly element_id?: string;
  readonly name?: string;
  readonly type: "default" | "primary" | "danger";
  readonly text: PlainText;
  readonly form_action_type?: "submit" | "reset";
  readonly behaviors?: readonly ButtonBehavior[];
}

export interface InputElement {
  readonly tag: "input";
  readonly element_id?: string;
  readonly name: string;
  readonly required?: boolean;
  readonly input_type?: "text" | "multiline_text";
  readonly label?: PlainText;
  readonly placeholder?: PlainText;
  readonly max_length?: number;
}

export interface FormElement {
  readonly tag: "form";
  readonly element_id?: string;
  readonly name: string;
  readonly elements: readonly CardElement[];
}

export interface ColumnElement {
  readonly tag: "column";
  readonly width: "auto" | "weighted";
  readonly elements: readonly CardElement[];
}

export interface ColumnSetElement {
  readonly tag: "column_set";
  readonly element_id?: string;
  readonly flex_mode: "flow" | "none";
  readonly horizontal_spacing?: string;
  readonly columns: readonly ColumnElement[];
}

export type CardElement =
  | MarkdownElement
  | DividerElement
  | ImageElement
  | ButtonElement
  | InputElement
  | FormElement
  | ColumnSetElement;

export interface LarkCard {
  readonly schema: "2.0";
  readonly config: {
    /** The only value that 2.0 takes; without it a card can never be updated. */
    readonly update_multi: true;
    readonly width_mode: "fill";
    /** What the list of chats and notifications show. */
    readonly summary: { readonly content: string };
  };
  readonly header: {
    readonly title: PlainText;
    readonly template: string;
    readonly text_tag_list?: readonly TextTag[];
  };
  readonly body: { readonly elements: readonly CardElement[] };
}
