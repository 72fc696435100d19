// Prose as rich_text: structure in JSON instead of markup, so that nothing in a text can turn into a mention, a link or a format.
import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextList, RichTextSection } from "@slack/types";
import { tableAsCode } from "../../../src/cards/table-as-code.ts";
import type { Block, Field, Inline } from "../../../src/core/card.ts";
import { inlineText } from "../../kit/plain-text.ts";
import { plainText } from "../escape.ts";
import { labelLies, webAddress } from "./links.ts";

interface Style {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}

/** Slack's lists go eight levels deep. */
const MAX_INDENT = 8;

/** The types of Slack's SDK do not know `offset`, the number before an ordered list's first one. */
interface OffsetList extends RichTextList {
  offset?: number;
}

export function richText(elements: readonly RichTextBlockElement[]): RichTextBlock {
  return { type: "rich_text", elements: elements.length === 0 ? [section([])] : [...elements] };
}

/** A section must hold something. */
export function section(elements: readonly RichTextElement[]): RichTextSection {
  return { type: "rich_text_section", elements: elements.length === 0 ? [{ type: "text", text: " " }] : [...elements] };
}

export function richInlines(inlines: readonly Inline[], style: Style = {}): RichTextElement[] {
  return merged(inlines.flatMap((inline) => oneInline(inline, style)));
}

function oneInline(inline: Inline, style: Style): RichTextElement[] {
  switch (inline.kind) {
    case "text":
      return text(inline.text, style);
    case "code":
      return text(inline.text, { ...style, code: true });
    case "break":
      return text("\n", style);
    case "strong":
      return inline.children.flatMap((child) => oneInline(child, { ...style, bold: true }));
    case "emphasis":
      return inline.children.flatMap((child) => oneInline(child, { ...style, italic: true }));
    case "strike":
      return inline.children.flatMap((child) => oneInline(child, { ...style, strike: true }));
    case "link":
      return link(inline.url, inline.children, style);
  }
}

/** An address that may be none stays text; a label that shows another host stands beside the address, not over it. */
function link(address: string, children: readonly Inline[], style: Style): RichTextElement[] {
  const url = webAddress(address);
  const label = plainText(inlineText(children));
  if (url === null) return children.flatMap((child) => oneInline(child, style));
  if (label.trim() === "" || label === address) return [{ type: "link", url, ...styled(style) }];
  if (labelLies(label, url)) return [...text(`${label} (`, style), { type: "link", url }, ...text(")", style)];
  const isCode = children.length > 0 && children.every(({ kind }) => kind === "code");
  const isBold = children.length > 0 && children.every(({ kind }) => kind === "strong");
  const look: Style = { ...style, ...(isCode ? { code: true } : {}), ...(isBold ? { bold: true } : {}) };
  return [{ type: "link", url, text: label, ...styled(look) }];
}

function text(value: string, style: Style): RichTextElement[] {
  const shown = plainText(value);
  return shown === "" ? [] : [{ type: "text", text: shown, ...styled(style) }];
}

function styled(style: Style): { style?: Style } {
  return Object.keys(style).length === 0 ? {} : { style };
}

function merged(elements: readonly RichTextElement[]): RichTextElement[] {
  const all: RichTextElement[] = [];
  for (const element of elements) {
    const last = all.at(-1);
    if (last?.type === "text" && element.type === "text" && sameStyle(last.style, element.style)) {
      all[all.length - 1] = { ...last, text: last.text + element.text };
    } else all.push(element);
  }
  return all;
}

function sameStyle(one: object | undefined, other: object | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function richFields(fields: readonly Field[]): RichTextBlockElement[] {
  const lines = fields.flatMap(({ label, value }, index): Inline[] => [
    ...(index === 0 ? [] : [{ kind: "break" } as const]),
    { kind: "strong", children: [{ kind: "text", text: `${label}: ` }] },
    ...value,
  ]);
  return [section(richInlines(lines))];
}

/** What a block of prose is in rich_text; blocks that have a form of their own at the top of a card become text here. */
export function richElements(block: Block): RichTextBlockElement[] {
  switch (block.kind) {
    case "heading":
      return [section(richInlines(block.children, { bold: true }))];
    case "text":
      return [section(richInlines(block.children))];
    case "fields":
      return richFields(block.fields);
    case "list":
      return listElements(block, 0);
    case "table":
      return preformatted(tableAsCode(block).text);
    case "code":
      return preformatted(block.text);
    case "quote":
      return block.blocks.flatMap(richElements).map(quoted);
    case "image":
      return [section(richInlines([{ kind: "link", url: block.url, children: [{ kind: "text", text: block.alt }] }]))];
    case "divider":
      return [section([{ type: "text", text: "\u2014" }])];
    case "actions":
      return [];
  }
}

function preformatted(code: string): RichTextBlockElement[] {
  const shown = plainText(code);
  return [{ type: "rich_text_preformatted", elements: [{ type: "text", text: shown === "" ? " " : shown }] }];
}

/** A quote holds text alone; what else stands in it gets the quote's border. */
function quoted(element: RichTextBlockElement): RichTextBlockElement {
  if (element.type === "rich_text_section") return { type: "rich_text_quote", elements: element.elements };
  return element.type === "rich_text_quote" ? element : { ...element, border: 1 };
}

/** A list's items hold one line of text each: what else an item holds interrupts the list, and the numbers go on after it. */
function listElements(list: Extract<Block, { kind: "list" }>, indent: number): RichTextBlockElement[] {
  const all: RichTextBlockElement[] = [];
  const first = list.ordered ? (list.start ?? 1) : 1;
  let open: OffsetList | undefined;
  for (const [index, item] of list.items.entries()) {
    const lead = item.findIndex((block) => !isLine(block));
    const lines = (lead === -1 ? item : item.slice(0, lead)).filter(isLine);
    open ??= start(list.ordered, indent, first + index);
    open.elements.push(section(richInlines(joined(lines))));
    const rest = lead === -1 ? [] : item.slice(lead);
    if (rest.length === 0) continue;
    all.push(open, ...rest.flatMap((block) => nested(block, indent)));
    open = undefined;
  }
  if (open !== undefined) all.push(open);
  return all;
}

function nested(block: Block, indent: number): RichTextBlockElement[] {
  return block.kind === "list" ? listElements(block, Math.min(indent + 1, MAX_INDENT)) : richElements(block);
}

function start(isOrdered: boolean, indent: number, number: number): OffsetList {
  const style = isOrdered ? "ordered" : "bullet";
  const offset = isOrdered && number > 1 ? { offset: number - 1 } : {};
  return { type: "rich_text_list", style, elements: [], ...(indent === 0 ? {} : { indent }), ...offset };
}

type Line = Extract<Block, { kind: "text" | "heading" }>;

function isLine(block: Block): block is Line {
  return block.kind === "text" || block.kind === "heading";
}

function joined(lines: readonly Line[]): Inline[] {
  return lines.flatMap(({ kind, children }, index): Inline[] => [
    ...(index === 0 ? [] : [{ kind: "break" } as const]),
    ...(kind === "heading" ? [{ kind: "strong", children } as const] : children),
  ]);
}
