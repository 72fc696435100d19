// Slack's Block Kit rules as known from its documentation, its SDK's types and reports: what is over a limit is refused with a pointer.
import {
  type BlockMistake,
  both,
  byType,
  type Check,
  counted,
  flag,
  integer,
  isRecord,
  list,
  oneOf,
  record,
  type Surface,
  text,
  type Walk,
  wrong,
} from "./block-check.ts";
import {
  anyText,
  button,
  cell,
  image,
  inputs,
  interactive,
  mrkdwn,
  plain,
  richText,
  webUrl,
} from "./block-elements.ts";

/** A message is refused above a sum between 9,597 and 11,341 characters; nobody knows where. */
const MAX_TEXT = 10_000;
const MAX_TABLE_TEXT = 10_000;
const MAX_MARKDOWN = 12_000;

const blockId = { "block_id?": text(1, 255) } as const;

function only(...surfaces: readonly Surface[]): Check {
  return (_value, pointer, walk) => {
    if (!surfaces.includes(walk.surface)) wrong(walk, pointer, `cannot stand in a ${walk.surface}`);
  };
}

const requireOne =
  (...keys: readonly string[]): Check =>
  (value, pointer, walk) => {
    if (isRecord(value) && !keys.some((key) => value[key] !== undefined)) {
      wrong(walk, pointer, `needs one of ${keys.join(", ")}`);
    }
  };

const card = record(
  {
    type: oneOf("card"),
    ...blockId,
    "hero_image?": image,
    "icon?": image,
    "title?": mrkdwn(150),
    "subtitle?": mrkdwn(150),
    "body?": mrkdwn(200),
    "actions?": list(button, 1, 3),
  },
  requireOne("hero_image", "title", "actions", "body"),
);

const table = record({
  type: oneOf("table"),
  ...blockId,
  rows: list(list(cell, 1, 20), 1, 100),
  "column_settings?": list(record({ "align?": oneOf("left", "center", "right"), "is_wrapped?": flag }), 0, 20),
});

const dataTable = record(
  {
    type: oneOf("data_table"),
    ...blockId,
    rows: list(list(cell, 1, 20), 2, 101),
    caption: both(text(1, 2_000), counted),
    "page_size?": integer(1, 100),
    "row_header_column_index?": integer(0, 19),
  },
  (value, pointer, walk) => {
    const rows = isRecord(value) && Array.isArray(value["rows"]) ? (value["rows"] as unknown[]) : [];
    const widths = new Set(rows.map((row) => (Array.isArray(row) ? row.length : -1)));
    if (widths.size > 1) wrong(walk, `${pointer}/rows`, "all rows must have the same number of cells");
    const [header] = rows;
    const isRich = Array.isArray(header) && header.some((one) => isRecord(one) && one["type"] === "rich_text");
    if (isRich) wrong(walk, `${pointer}/rows/0`, "a header cell cannot be rich_text");
  },
);

const label = text(1, 20);
const chart: Check = (value, pointer, walk) => {
  walk.charts += 1;
  if (walk.charts > 2) wrong(walk, pointer, "no more than 2 data_visualization blocks allowed");
  record({
    type: oneOf("data_visualization"),
    ...blockId,
    "title?": text(1, 50),
    chart: record({
      type: oneOf("pie", "bar", "line", "area"),
      "categories?": list(label, 1, 20),
      series: list(record({ name: label, "values?": list(() => undefined, 1, 20), "value?": () => undefined }), 1, 12),
    }),
  })(value, pointer, walk);
};

const context = record({
  type: oneOf("context"),
  ...blockId,
  elements: list(byType({ plain_text: plain(3_000), mrkdwn: mrkdwn(3_000), image }), 1, 10),
});
const actions = record({ type: oneOf("actions"), ...blockId, elements: list(byType(interactive), 1, 25) });
const divider = record({ type: oneOf("divider"), ...blockId });
const header = record({ type: oneOf("header"), ...blockId, text: plain(150) });
const imageBlock = record(
  {
    type: oneOf("image"),
    ...blockId,
    "image_url?": webUrl,
    "slack_file?": record({ "id?": text(1, 50), "url?": webUrl }),
    alt_text: both(text(1, 2_000), counted),
    "title?": plain(2_000),
  },
  requireOne("image_url", "slack_file"),
);
const section = record(
  {
    type: oneOf("section"),
    ...blockId,
    "text?": anyText(3_000),
    "fields?": list(anyText(2_000), 1, 10),
    "accessory?": byType({ ...interactive, image }),
    "expand?": flag,
  },
  requireOne("text", "fields"),
);
const countedTable: Check = (value, pointer, walk) => {
  walk.tables += 1;
  if (walk.tables > 1) wrong(walk, pointer, "only one table allowed");
  table(value, pointer, walk);
};

const kinds: Readonly<Record<string, Check>> = {
  actions,
  context,
  divider,
  header,
  image: imageBlock,
  section,
  rich_text: richText,
  table: countedTable,
  data_table: dataTable,
  card,
  carousel: record({ type: oneOf("carousel"), ...blockId, elements: list(card, 1, 10) }),
  container: both(
    only("message"),
    record(
      {
        type: oneOf("container"),
        ...blockId,
        "title?": plain(150),
        "rich_text_title?": richText,
        "subtitle?": anyText(150),
        child_blocks: list(
          byType({
            actions,
            context,
            divider,
            header,
            image: imageBlock,
            section,
            rich_text: richText,
            table: countedTable,
          }),
          1,
          10,
        ),
        "width?": oneOf("narrow", "standard", "wide", "full"),
        "icon?": image,
        "is_collapsible?": flag,
        "default_collapsed?": flag,
        "has_header_divider?": flag,
      },
      requireOne("title", "rich_text_title"),
    ),
  ),
  alert: both(
    only("modal"),
    record({
      type: oneOf("alert"),
      ...blockId,
      text: anyText(200),
      "level?": oneOf("default", "info", "warning", "error", "success"),
    }),
  ),
  data_visualization: chart,
  markdown: both(
    only("message"),
    record({ type: oneOf("markdown"), text: both(text(1, MAX_MARKDOWN), counted) }, (value, pointer, walk) => {
      walk.markdownText += isRecord(value) && typeof value["text"] === "string" ? value["text"].length : 0;
      if (walk.markdownText > MAX_MARKDOWN)
        wrong(walk, pointer, `markdown must be less than ${MAX_MARKDOWN + 1} in all`);
    }),
  ),
  input: both(
    only("modal", "home"),
    record({
      type: oneOf("input"),
      ...blockId,
      label: plain(2_000),
      element: byType(inputs),
      "hint?": plain(2_000),
      "optional?": flag,
      "dispatch_action?": flag,
    }),
  ),
};

export interface CheckedBlocks {
  readonly mistakes: readonly BlockMistake[];
  /** Whether all text together is more than Slack takes. */
  readonly isTooLong: boolean;
}

export function checkBlocks(blocks: unknown, surface: Surface, pointer = "/blocks"): CheckedBlocks {
  const walk: Walk = {
    surface,
    mistakes: [],
    blockIds: new Set(),
    actionIds: new Set(),
    tableText: 0,
    tables: 0,
    charts: 0,
    markdownText: 0,
    text: 0,
  };
  list(block, 0, surface === "message" ? 50 : 100)(blocks, pointer, walk);
  if (walk.tableText > MAX_TABLE_TEXT) wrong(walk, pointer, `cells hold more than ${MAX_TABLE_TEXT} characters in all`);
  return { mistakes: walk.mistakes, isTooLong: surface === "message" && walk.text > MAX_TEXT };
}

const block: Check = (value, pointer, walk) => {
  byType(kinds)(value, pointer, walk);
  const id = isRecord(value) ? value["block_id"] : undefined;
  if (typeof id !== "string") return;
  if (walk.blockIds.has(id)) wrong(walk, `${pointer}/block_id`, `block_id must be unique: ${id}`);
  walk.blockIds.add(id);
};

/** Mistakes of a modal or of an App Home. */
export function checkView(view: unknown, kind: "modal" | "home"): readonly BlockMistake[] {
  if (!isRecord(view)) return [{ pointer: "/view", message: "must be an object" }];
  const { blocks, ...frame } = view;
  const checked = checkBlocks(blocks, kind, "/view/blocks");
  const walk: Walk = { ...emptyWalk(kind), mistakes: [...checked.mistakes] };
  const common = {
    type: oneOf(kind),
    "private_metadata?": text(0, 3_000),
    "callback_id?": text(1, 255),
    "external_id?": text(1, 255),
  };
  const shape = record(
    kind === "home"
      ? common
      : {
          ...common,
          title: plain(24),
          "submit?": plain(24),
          "close?": plain(24),
          "clear_on_close?": flag,
          "notify_on_close?": flag,
        },
  );
  shape(frame, "/view", walk);
  const hasInput = Array.isArray(blocks) && blocks.some((one) => isRecord(one) && one["type"] === "input");
  if (kind === "modal" && hasInput && frame["submit"] === undefined)
    wrong(walk, "/view", "missing required field: submit");
  return walk.mistakes;
}

function emptyWalk(surface: Surface): Walk {
  const sums = { tableText: 0, tables: 0, charts: 0, markdownText: 0, text: 0 };
  return { surface, mistakes: [], blockIds: new Set(), actionIds: new Set(), ...sums };
}
