// Refuses a card that the platform would refuse, before it is sent: structure, limits and what 2.0 has removed.
import { lintElement } from "./lint-element.ts";
import {
  cardLimits,
  type Fields,
  isFields,
  isWebUrl,
  known,
  type LintRule,
  type LintState,
  type LintVerdict,
} from "./lint-rules.ts";

export type { LintVerdict };

const sizeRules: ReadonlySet<LintRule> = new Set(["elements", "bytes", "tables", "nesting"]);

/** Whether a smaller card would be taken. */
export function isSizeVerdict({ rule }: LintVerdict): boolean {
  return sizeRules.has(rule);
}

const colours = new Set([
  "default",
  "blue",
  "wathet",
  "turquoise",
  "green",
  "yellow",
  "orange",
  "red",
  "carmine",
  "violet",
  "purple",
  "indigo",
  "grey",
]);

/** @returns nothing for a card that may be sent. */
export function lintCard(card: unknown): readonly LintVerdict[] {
  const verdicts: LintVerdict[] = [];
  const state: LintState = {
    ids: new Map(),
    inputs: new Map(),
    forms: new Map(),
    elements: 0,
    tableElements: 0,
    markdownTables: 0,
    report: (rule, path, message) => void verdicts.push({ rule, path, message }),
  };
  if (!isFields(card)) {
    state.report("shape", "", "a card is an object");
    return verdicts;
  }
  known(card, "", ["schema", "config", "header", "body", "card_link"], state);
  if (card["schema"] !== "2.0") state.report("schema", "schema", 'must be "2.0"');
  lintConfig(card["config"], state);
  if (card["header"] !== undefined) lintHeader(card["header"], state);
  if (card["card_link"] !== undefined) lintLink(card["card_link"], state);
  lintBody(card["body"], state);
  lintTotals(card, state);
  return verdicts;
}

function lintConfig(config: unknown, state: LintState): void {
  if (!isFields(config)) {
    state.report("update_multi", "config", "must say update_multi: true");
    return;
  }
  known(
    config,
    "config",
    ["update_multi", "width_mode", "summary", "enable_forward", "enable_forward_interaction"],
    state,
  );
  // Without it a card can never be updated, and 2.0 knows no other value.
  if (config["update_multi"] !== true) state.report("update_multi", "config.update_multi", "must be true");
  const { summary, width_mode: width } = config;
  if (width !== undefined && width !== "fill" && width !== "compact" && width !== "default") {
    state.report("value", "config.width_mode", "must be default, fill or compact");
  }
  if (summary === undefined) return;
  if (!isFields(summary)) {
    state.report("shape", "config.summary", "must be an object");
    return;
  }
  known(summary, "config.summary", ["content", "i18n_content"], state);
  if (typeof summary["content"] !== "string") state.report("missing", "config.summary.content", "must be a text");
}

function lintHeader(header: unknown, state: LintState): void {
  if (!isFields(header)) {
    state.report("shape", "header", "must be an object");
    return;
  }
  known(header, "header", ["title", "subtitle", "template", "text_tag_list", "icon", "padding"], state);
  lintElement(header["title"], "header.title", ["plain_text", "lark_md"], 0, state);
  if (header["subtitle"] !== undefined)
    lintElement(header["subtitle"], "header.subtitle", ["plain_text", "lark_md"], 0, state);
  const { template, text_tag_list: tags } = header;
  if (template !== undefined && (typeof template !== "string" || !colours.has(template))) {
    state.report("value", "header.template", "is no colour of a header");
  }
  if (tags === undefined) return;
  if (!Array.isArray(tags)) {
    state.report("shape", "header.text_tag_list", "must be a list");
    return;
  }
  if (tags.length > cardLimits.headerTags) {
    state.report(
      "header_tags",
      "header.text_tag_list",
      `has ${tags.length} tags, ${cardLimits.headerTags} are allowed`,
    );
  }
  for (const [index, tag] of tags.entries()) lintElement(tag, `header.text_tag_list[${index}]`, ["text_tag"], 0, state);
}

function lintLink(link: unknown, state: LintState): void {
  if (!isFields(link)) {
    state.report("shape", "card_link", "must be an object");
    return;
  }
  known(link, "card_link", ["url", "pc_url", "ios_url", "android_url"], state);
  for (const [name, url] of Object.entries(link)) {
    if (!isWebUrl(url)) state.report("url", `card_link.${name}`, "is no http or https address");
  }
}

function lintBody(body: unknown, state: LintState): void {
  if (!isFields(body)) {
    state.report("missing", "body", "must be an object with elements");
    return;
  }
  known(body, "body", ["elements", "direction", "padding", "vertical_spacing", "horizontal_spacing"], state);
  const { elements } = body;
  if (!Array.isArray(elements) || elements.length === 0) {
    state.report("missing", "body.elements", "must be a list that is not empty");
    return;
  }
  for (const [index, element] of elements.entries()) lintElement(element, `body.elements[${index}]`, "root", 0, state);
}

function lintTotals(card: Fields, state: LintState): void {
  const { elements, tableElements, markdownTables } = state;
  if (elements > cardLimits.elements) {
    state.report("elements", "", `has ${elements} elements, ${cardLimits.elements} are allowed`);
  }
  if (tableElements > cardLimits.tableElements) {
    state.report("tables", "", `has ${tableElements} table elements, ${cardLimits.tableElements} are allowed`);
  }
  if (markdownTables > cardLimits.markdownTables) {
    state.report("tables", "", `has ${markdownTables} Markdown tables, ${cardLimits.markdownTables} are allowed`);
  }
  const written = JSON.stringify(card);
  const bytes = Buffer.byteLength(written);
  if (bytes > cardLimits.bytes) state.report("bytes", "", `has ${bytes} bytes, ${cardLimits.bytes} are allowed`);
  // Every quotation mark of the card takes two bytes there.
  const bodyBytes = Buffer.byteLength(JSON.stringify(written));
  if (bodyBytes > cardLimits.bodyBytes && bytes <= cardLimits.bytes) {
    state.report("bytes", "", `has ${bodyBytes} bytes in a request, ${cardLimits.bodyBytes} are allowed`);
  }
}
