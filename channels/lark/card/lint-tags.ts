// The tags of Card JSON 2.0 that the bot sends, and the properties of each: 2.0 refuses every other one.

export interface TagRule {
  readonly properties: readonly string[];
  readonly required?: readonly string[];
  /** Property with child elements. */
  readonly children?: string;
  /** A container counts as a level. */
  readonly isContainer?: boolean;
  /** At the root of the body only. */
  readonly rootOnly?: boolean;
}

const common = ["tag", "element_id", "margin"];

export const tagRules: Readonly<Record<string, TagRule>> = {
  plain_text: {
    properties: ["tag", "content", "text_size", "text_color", "text_align", "lines", "i18n_content"],
    required: ["content"],
  },
  lark_md: {
    properties: ["tag", "content", "text_size", "text_color", "text_align", "lines", "i18n_content"],
    required: ["content"],
  },
  text_tag: { properties: ["tag", "element_id", "text", "color"], required: ["text"] },
  standard_icon: { properties: ["tag", "token", "color"], required: ["token"] },
  markdown: {
    properties: [...common, "content", "text_size", "text_align", "icon", "i18n_content"],
    required: ["content"],
  },
  div: { properties: [...common, "text", "icon", "width"], required: ["text"] },
  hr: { properties: common },
  img: {
    properties: [...common, "img_key", "alt", "title", "scale_type", "size", "corner_radius", "transparent", "preview"],
    required: ["img_key", "alt"],
  },
  button: {
    properties: [
      ...common,
      ...["type", "size", "width", "text", "icon", "hover_tips", "disabled", "disabled_tips", "confirm", "behaviors"],
      ...["name", "required", "form_action_type"],
    ],
    required: ["text"],
  },
  input: {
    properties: [
      ...common,
      ...["name", "required", "placeholder", "default_value", "disabled", "width", "max_length", "input_type", "rows"],
      ...["auto_resize", "max_rows", "label", "label_position", "value", "behaviors", "confirm", "fallback"],
    ],
  },
  form: {
    properties: [
      ...common,
      "name",
      "elements",
      "direction",
      "padding",
      "vertical_spacing",
      "horizontal_spacing",
      "confirm",
    ],
    required: ["elements"],
    children: "elements",
    isContainer: true,
    rootOnly: true,
  },
  column_set: {
    properties: [
      ...common,
      "columns",
      "flex_mode",
      "background_style",
      "horizontal_spacing",
      "horizontal_align",
      "action",
    ],
    required: ["columns"],
    children: "columns",
    isContainer: true,
  },
  column: {
    properties: [
      ...common,
      ...["elements", "width", "weight", "background_style", "vertical_align", "vertical_spacing", "horizontal_align"],
      ...["padding", "direction", "horizontal_spacing", "action"],
    ],
    children: "elements",
    isContainer: true,
  },
  collapsible_panel: {
    properties: [
      ...common,
      "header",
      "elements",
      "expanded",
      "background_color",
      "border",
      "padding",
      "vertical_spacing",
      "direction",
    ],
    required: ["header", "elements"],
    children: "elements",
    isContainer: true,
  },
  table: {
    properties: [...common, "columns", "rows", "page_size", "row_height", "header_style", "freeze_first_column"],
    required: ["columns", "rows"],
    rootOnly: true,
  },
};

/** Of 1.0, and refused by 2.0 wherever they stand. */
export const removedTags = new Set(["note", "action"]);
/** Never elements of a body. */
export const partTags = new Set(["plain_text", "lark_md", "text_tag", "standard_icon"]);
