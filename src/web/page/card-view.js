// Card → elements: one function a block; links only to the web, images only from ourselves.
import { codeView } from "./code-view.js";
import { element, link, safeUrl } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("../../core/card.ts").Card} Card */
/** @typedef {import("../../core/card.ts").Block} Block */
/** @typedef {import("../../core/card.ts").Inline} Inline */
/** @typedef {import("../../core/card.ts").ActionButton} ActionButton */
/** @typedef {(token: string, button: HTMLButtonElement) => void} OnAction */

const tones = ["neutral", "good", "info", "warning", "danger"];

/** @param {Card} card */
export function cardTone(card) {
  return tones.includes(card.tone) ? card.tone : "neutral";
}

/** @param {Card} card */
export function cardTitle(card) {
  const url = safeUrl(card.link);
  return url === undefined ? card.title : link(url, {}, card.title);
}

/**
 * @param {Card} card
 * @param {OnAction} onAction
 */
export function cardBody(card, onAction) {
  const marked = placeIn(card.title);
  return element("div", { class: "body" }, ...card.blocks.map((block) => blockView(block, { marked, onAction })));
}

/**
 * The lines that a title such as `High · src/a.ts:12-14` names.
 * @param {string} title
 */
function placeIn(title) {
  const match = /:(\d+)(?:[-–](\d+))?(?!.*:\d)/.exec(title);
  if (match === null) return undefined;
  const first = Number(match[1]);
  return { first, last: Number(match[2] ?? first) };
}

/**
 * @param {Block} block
 * @param {{marked: import("./code-view.js").MarkedLines, onAction: OnAction}} context
 * @returns {Node}
 */
function blockView(block, context) {
  switch (block.kind) {
    case "heading":
      // The message's own title is the second level of the page.
      return element(block.level <= 2 ? "h3" : "h4", {}, ...inlines(block.children));
    case "text":
      return element("p", {}, ...inlines(block.children));
    case "fields":
      return element(
        "dl",
        { class: "fields" },
        ...block.fields.flatMap(({ label, value }) => [element("dt", {}, label), element("dd", {}, ...inlines(value))]),
      );
    case "list": {
      const items = block.items.map((item) => element("li", {}, ...itemView(item, context)));
      return block.ordered
        ? element("ol", { start: block.start === undefined ? undefined : String(block.start) }, ...items)
        : element("ul", {}, ...items);
    }
    case "table":
      return tableView(block);
    case "code":
      return codeView(block.text, block.language, context.marked);
    case "quote":
      return element("blockquote", {}, ...block.blocks.map((inner) => blockView(inner, context)));
    case "image":
      return imageView(block.url, block.alt);
    case "divider":
      return element("hr");
    case "actions":
      return element(
        "div",
        { class: "actions" },
        ...block.actions.map((action) => actionView(action, context.onAction)),
      );
    default:
      // A block of a newer server: nothing to show is better than a broken page.
      return document.createComment("unknown block");
  }
}

/** The severities' words in the bot's three languages; words carry the meaning, the colour repeats it. */
const severityWords = new Map(
  Object.entries({
    critical: ["critical", "nghiêm trọng", "严重"],
    high: ["high", "cao", "高"],
    medium: ["medium", "trung bình", "中"],
    low: ["low", "thấp", "低"],
  }).flatMap(([severity, words]) => words.map((word) => [word, severity])),
);

/** @param {readonly Inline[]} children of a strong text, which is a severity or just strong */
function severityIn(children) {
  const [only, ...others] = children;
  if (only?.kind !== "text" || others.length > 0) return undefined;
  return severityWords.get(only.text.trim().toLowerCase());
}

/**
 * A single paragraph needs no paragraph of its own within a list item.
 * @param {readonly Block[]} blocks
 * @param {Parameters<typeof blockView>[1]} context
 */
function itemView(blocks, context) {
  const [first, ...rest] = blocks;
  if (first?.kind !== "text") return blocks.map((block) => blockView(block, context));
  return [...inlines(first.children), ...rest.map((block) => blockView(block, context))];
}

/** @param {Extract<Block, {kind: "table"}>} table */
function tableView({ header, rows }) {
  const head = element("tr", {}, ...header.map((cell) => element("th", { scope: "col" }, ...inlines(cell))));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, ...inlines(cell)))));
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": text("table"), "data-label": "table" },
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)),
  );
}

/**
 * Pictures of other servers are never loaded: they would learn who reads.
 * @param {string} url
 * @param {string} alt
 */
function imageView(url, alt) {
  if (/^data:image\/(png|webp);base64,/.test(url)) return element("img", { src: url, alt, loading: "lazy" });
  const safe = safeUrl(url);
  if (safe === undefined) return element("p", {}, alt);
  if (new URL(safe).origin === location.origin) return element("img", { src: safe, alt, loading: "lazy" });
  return element("p", {}, link(safe, {}, alt || safe));
}

/**
 * @param {ActionButton} action
 * @param {OnAction} onAction
 */
function actionView({ label, token, url, style }, onAction) {
  const attributes = { class: "action", "data-style": style };
  if (token !== undefined) {
    const button = element("button", { ...attributes, type: "button" }, label);
    button.addEventListener("click", () => onAction(token, button));
    return button;
  }
  const safe = safeUrl(url);
  return safe === undefined ? element("span", { class: "note" }, label) : link(safe, attributes, label);
}

/**
 * @param {readonly Inline[]} children
 * @returns {(Node | string)[]}
 */
export function inlines(children) {
  return children.map((child) => {
    switch (child.kind) {
      case "text":
        return child.text;
      case "code":
        return element("code", { translate: "no" }, child.text);
      case "strong":
        return element("strong", { "data-severity": severityIn(child.children) }, ...inlines(child.children));
      case "emphasis":
        return element("em", {}, ...inlines(child.children));
      case "strike":
        return element("s", {}, ...inlines(child.children));
      case "link": {
        const url = safeUrl(child.url);
        return url === undefined
          ? element("span", {}, ...inlines(child.children))
          : link(url, {}, ...inlines(child.children));
      }
      case "break":
        return element("br");
      default:
        return "";
    }
  });
}
