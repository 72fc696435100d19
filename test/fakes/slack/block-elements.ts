// Block Kit's rules for what stands inside blocks: texts, buttons, inputs, rich text.
import {
  both,
  byType,
  type Check,
  counted,
  flag,
  integer,
  list,
  matching,
  oneOf,
  record,
  text,
  wrong,
} from "./block-check.ts";

export const webUrl = both(text(1, 3_000), matching(/^https?:\/\/[^\s]+$/), counted);
const anyUrl = both(text(1, 3_000), matching(/^(?:https?:\/\/|mailto:)[^\s]+$/), counted);

export function plain(most: number): Check {
  return record({ type: oneOf("plain_text"), text: both(text(1, most), counted), "emoji?": flag });
}

export function mrkdwn(most: number): Check {
  return record({ type: oneOf("mrkdwn"), text: both(text(1, most), counted, entities), "verbatim?": flag });
}

export function anyText(most: number): Check {
  return byType({ plain_text: plain(most), mrkdwn: mrkdwn(most) });
}

/** Slack itself is lenient; a `&`, `<` or `>` that is no part of an entity or a link is a mistake of whoever escaped. */
const entities: Check = (value, pointer, walk) => {
  if (typeof value !== "string") return;
  const rest = value.replace(/&(?:amp|lt|gt);/g, "").replace(/<(?:https?:\/\/|mailto:|[@#!])[^<>]*>/g, "");
  if (/[&<>]/.test(rest.replace(/^> /gm, ""))) wrong(walk, pointer, "holds a bare sign of the markup");
};

const actionId: Check = (value, pointer, walk) => {
  text(1, 255)(value, pointer, walk);
  if (typeof value !== "string") return;
  if (walk.actionIds.has(value)) wrong(walk, pointer, `action_id must be unique: ${value}`);
  walk.actionIds.add(value);
};

const confirm = record({
  title: plain(100),
  text: anyText(300),
  confirm: plain(30),
  deny: plain(30),
  "style?": oneOf("primary", "danger"),
});
const option = record({
  text: anyText(75),
  value: text(1, 150),
  "description?": plain(75),
  "url?": webUrl,
});
const optionGroup = record({ label: plain(75), options: list(option, 1, 100) });

export const button = record({
  type: oneOf("button"),
  text: plain(75),
  "action_id?": actionId,
  "value?": text(1, 2_000),
  "url?": anyUrl,
  "style?": oneOf("primary", "danger"),
  "confirm?": confirm,
  "accessibility_label?": text(1, 75),
});

const select = {
  "action_id?": actionId,
  "placeholder?": plain(150),
  "focus_on_load?": flag,
  "confirm?": confirm,
} as const;

export const image = record({
  type: oneOf("image"),
  "image_url?": webUrl,
  "slack_file?": record({ "id?": text(1, 50), "url?": webUrl }),
  alt_text: both(text(1, 2_000), counted),
});

/** In sections and rows of actions. */
export const interactive: Readonly<Record<string, Check>> = {
  button,
  overflow: record({
    type: oneOf("overflow"),
    "action_id?": actionId,
    options: list(option, 1, 5),
    "confirm?": confirm,
  }),
  static_select: record({
    type: oneOf("static_select"),
    ...select,
    "options?": list(option, 1, 100),
    "option_groups?": list(optionGroup, 1, 100),
    "initial_option?": option,
  }),
  multi_static_select: record({
    type: oneOf("multi_static_select"),
    ...select,
    "options?": list(option, 1, 100),
    "option_groups?": list(optionGroup, 1, 100),
    "initial_options?": list(option, 1, 100),
    "max_selected_items?": integer(1, 100),
  }),
  external_select: record({
    type: oneOf("external_select"),
    ...select,
    "initial_option?": option,
    "min_query_length?": integer(0, 100),
  }),
  users_select: record({ type: oneOf("users_select"), ...select, "initial_user?": matching(/^[UW][A-Z0-9]+$/) }),
  conversations_select: record({
    type: oneOf("conversations_select"),
    ...select,
    "initial_conversation?": matching(/^[CGD][A-Z0-9]+$/),
    "default_to_current_conversation?": flag,
    "response_url_enabled?": flag,
    "filter?": record({
      "include?": list(oneOf("im", "mpim", "private", "public"), 1, 4),
      "exclude_bot_users?": flag,
      "exclude_external_shared_channels?": flag,
    }),
  }),
  radio_buttons: record({
    type: oneOf("radio_buttons"),
    "action_id?": actionId,
    options: list(option, 1, 10),
    "initial_option?": option,
    "focus_on_load?": flag,
  }),
  checkboxes: record({
    type: oneOf("checkboxes"),
    "action_id?": actionId,
    options: list(option, 1, 10),
    "initial_options?": list(option, 1, 10),
    "focus_on_load?": flag,
  }),
};

/** In input blocks. */
export const inputs: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(Object.entries(interactive).filter(([type]) => type !== "button" && type !== "overflow")),
  plain_text_input: record({
    type: oneOf("plain_text_input"),
    "action_id?": actionId,
    "initial_value?": text(0, 3_000),
    "multiline?": flag,
    "min_length?": integer(0, 3_000),
    "max_length?": integer(1, 3_000),
    "placeholder?": plain(150),
    "focus_on_load?": flag,
    "dispatch_action_config?": record({
      "trigger_actions_on?": list(oneOf("on_enter_pressed", "on_character_entered"), 1, 2),
    }),
  }),
};

const style = record({ "bold?": flag, "italic?": flag, "strike?": flag, "code?": flag });
const inline = byType({
  text: record({ type: oneOf("text"), text: both(text(1, 40_000), counted), "style?": style }),
  link: record({
    type: oneOf("link"),
    url: anyUrl,
    "text?": both(text(1, 40_000), counted),
    "style?": style,
    "unsafe?": flag,
  }),
  user: record({ type: oneOf("user"), user_id: matching(/^[UW][A-Z0-9]+$/), "style?": style }),
  usergroup: record({ type: oneOf("usergroup"), usergroup_id: matching(/^S[A-Z0-9]+$/), "style?": style }),
  channel: record({ type: oneOf("channel"), channel_id: matching(/^[CG][A-Z0-9]+$/), "style?": style }),
  broadcast: record({ type: oneOf("broadcast"), range: oneOf("here", "channel", "everyone"), "style?": style }),
  emoji: record({ type: oneOf("emoji"), name: matching(/^[a-z0-9_+'-]+$/), "unicode?": text(1, 50) }),
});
const section = record({ type: oneOf("rich_text_section"), elements: list(inline, 1, 1_000) });
const code = byType({
  text: record({ type: oneOf("text"), text: both(text(1, 40_000), counted), "style?": style }),
  link: record({ type: oneOf("link"), url: anyUrl, "text?": both(text(1, 40_000), counted), "style?": style }),
});

export const richText = record({
  type: oneOf("rich_text"),
  "block_id?": text(1, 255),
  elements: list(
    byType({
      rich_text_section: section,
      rich_text_list: record({
        type: oneOf("rich_text_list"),
        style: oneOf("bullet", "ordered"),
        elements: list(section, 1, 1_000),
        "indent?": integer(0, 8),
        "offset?": integer(0, 1_000_000),
        "border?": integer(0, 1),
      }),
      rich_text_preformatted: record({
        type: oneOf("rich_text_preformatted"),
        elements: list(code, 1, 1_000),
        "border?": integer(0, 1),
      }),
      rich_text_quote: record({
        type: oneOf("rich_text_quote"),
        elements: list(inline, 1, 1_000),
        "border?": integer(0, 1),
      }),
    }),
    1,
    1_000,
  ),
});

const rawText = record({ type: oneOf("raw_text"), text: both(text(1, 10_000), counted) });
const rawNumber = record({
  type: oneOf("raw_number"),
  value: (value, pointer, walk) => {
    if (typeof value !== "number" || !Number.isFinite(value)) wrong(walk, pointer, "must be a number");
  },
});

/** Counts the characters of a cell towards the limit of all tables. */
export const cell: Check = (value, pointer, walk) => {
  const before = walk.text;
  byType({ raw_text: rawText, raw_number: rawNumber, rich_text: richText })(value, pointer, walk);
  walk.tableText += walk.text - before;
};
