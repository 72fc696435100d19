// Cuts one block into blocks that fit a page and the channel's limits, or turns it into simpler ones.
import type { Block, CardLimits, Inline } from "../core/card.ts";
import { clippedText } from "./cut-text.ts";
import { textInlines } from "./inlines.ts";
import { blockTextSize, fieldTextSize, jsonBytes, type Room } from "./measure.ts";
import { blocksText } from "./readable-text.ts";
import { splitCode } from "./split-code.ts";
import { splitInlines } from "./split-inlines.ts";
import { tableAsCode } from "./table-as-code.ts";

type ListBlock = Extract<Block, { kind: "list" }>;
type FieldsBlock = Extract<Block, { kind: "fields" }>;
type ActionsBlock = Extract<Block, { kind: "actions" }>;

/** Less room than this inside a quote or list, and its content becomes plain text. */
const LEAST_TEXT = 24;
const LEAST_BYTES = 160;

/** The block as one or more blocks, each within the channel's limits for its kind and within the room of a page. */
export function splitTopBlock(block: Block, page: Room, limits: CardLimits): readonly Block[] {
  switch (block.kind) {
    case "fields":
      return splitFields(block, page, limits);
    case "actions":
      return splitActions(block, page, limits);
    case "table":
      return tableFits(block, limits) && fits(block, page) ? [block] : splitTopBlock(tableAsCode(block), page, limits);
    case "code":
      return splitBlock(block, within(page, limits.codeText));
    case "image":
    case "divider":
      return splitBlock(block, page);
    case "list":
    case "quote":
      return splitBlock(block, within(page, limits.blockText)).flatMap((part) =>
        // What left its container stands at the top now, where more limits hold.
        part.kind === block.kind ? [part] : splitTopBlock(part, page, limits),
      );
    default:
      return splitBlock(block, within(page, limits.blockText));
  }
}

export function fits(block: Block, room: Room): boolean {
  if (blockTextSize(block) > room.text) return false;
  return room.bytes === Number.POSITIVE_INFINITY || jsonBytes(block) <= room.bytes;
}

function within(page: Room, limit: number | undefined): Room {
  return { text: Math.min(page.text, limit ?? Number.POSITIVE_INFINITY), bytes: page.bytes };
}

function tableFits(table: Extract<Block, { kind: "table" }>, limits: CardLimits): boolean {
  if (limits.tables === 0) return false;
  const columns = Math.max(table.header.length, ...table.rows.map((row) => row.length));
  return table.rows.length <= (limits.tableRows ?? Infinity) && columns <= (limits.tableColumns ?? Infinity);
}

function splitBlock(block: Block, room: Room): readonly Block[] {
  if (fits(block, room)) return [block];
  switch (block.kind) {
    case "heading":
    case "text": {
      const inner = { text: room.text - 2, bytes: room.bytes - bytesOf({ ...block, children: [] }, room) };
      return splitInlines(block.children, inner).map((children) => ({ ...block, children }));
    }
    case "code":
      return splitCode(block, room);
    case "table":
      return splitBlock(tableAsCode(block), room);
    case "list":
      return splitList(block, room);
    case "quote":
      return splitQuote(block.blocks, room);
    case "image":
      return block.alt === "" ? [] : splitBlock({ kind: "text", children: textInlines(block.alt) }, room);
    case "fields":
    case "actions":
    case "divider":
      return block.kind === "fields" ? block.fields.flatMap((field) => splitBlock(fieldAsText(field), room)) : [block];
  }
}

function splitQuote(blocks: readonly Block[], room: Room): readonly Block[] {
  const inner = shrunk(room, 6, { kind: "quote", blocks: [] });
  if (inner === null) return asPlainText({ kind: "quote", blocks }, room);
  const result: Block[] = [];
  for (const part of blocks.flatMap((block) => splitBlock(block, inner))) {
    const last = result.at(-1);
    const grown: Block | null = last?.kind === "quote" ? { kind: "quote", blocks: [...last.blocks, part] } : null;
    if (grown !== null && fits(grown, room)) result[result.length - 1] = grown;
    else result.push({ kind: "quote", blocks: [part] });
  }
  return result;
}

function splitList(list: ListBlock, room: Room): readonly Block[] {
  const { ordered } = list;
  const first = list.start ?? 1;
  const inner = shrunk(room, 6, { kind: "list", ordered, start: first + list.items.length, items: [[]] });
  if (inner === null) return asPlainText(list, room);
  const result: Block[] = [];
  /** The last block of the result, while it is a list that may still grow. */
  let open: ListBlock | null = null;
  for (const [index, item] of list.items.entries()) {
    const grown: ListBlock | null = open === null ? null : withItems(open, [...open.items, item]);
    if (grown !== null && fits(grown, room)) {
      open = grown;
      result[result.length - 1] = grown;
      continue;
    }
    const started: ListBlock = { kind: "list", ordered, ...(ordered ? { start: first + index } : {}), items: [[]] };
    const { head, rest } = splitItem(started, item, inner, room);
    result.push(head, ...rest);
    open = rest.length === 0 ? head : null;
  }
  return result;
}

/** What the item has beyond one block of the channel follows it without a marker, so that no number is given twice. */
function splitItem(
  started: ListBlock,
  item: readonly Block[],
  inner: Room,
  room: Room,
): { readonly head: ListBlock; readonly rest: readonly Block[] } {
  const parts = item.flatMap((block) => splitBlock(block, inner));
  let head = started;
  for (let count = 1; count <= parts.length; count++) {
    const longer = withItems(head, [parts.slice(0, count)]);
    if (!fits(longer, room)) return { head, rest: parts.slice(count - 1) };
    head = longer;
  }
  return { head, rest: [] };
}

function withItems(list: ListBlock, items: ListBlock["items"]): ListBlock {
  return { ...list, items };
}

/** The room inside a container; null when there is too little to keep its form. */
function shrunk(room: Room, marks: number, container: Block): Room | null {
  const inner = { text: room.text - marks, bytes: room.bytes - bytesOf(container, room) };
  return inner.text < LEAST_TEXT || inner.bytes < LEAST_BYTES ? null : inner;
}

/** The last resort for forms that are nested deeper than the room allows: their text. */
function asPlainText(block: Block, room: Room): readonly Block[] {
  return splitBlock({ kind: "text", children: textInlines(blocksText([block])) }, room);
}

function splitFields(block: FieldsBlock, page: Room, limits: CardLimits): readonly Block[] {
  const result: Block[] = [];
  for (const field of block.fields) {
    const single: FieldsBlock = { kind: "fields", fields: [field] };
    if (fieldTextSize(field) > (limits.fieldText ?? Infinity) || limits.fields === 0 || !fits(single, page)) {
      result.push(...splitTopBlock(fieldAsText(field), page, limits));
      continue;
    }
    const last = result.at(-1);
    const grown: FieldsBlock | null =
      last?.kind === "fields" ? { kind: "fields", fields: [...last.fields, field] } : null;
    if (grown !== null && grown.fields.length <= (limits.fields ?? Infinity) && fits(grown, page)) {
      result[result.length - 1] = grown;
    } else {
      result.push(single);
    }
  }
  return result;
}

function fieldAsText(field: { readonly label: string; readonly value: readonly Inline[] }): Block {
  const label: Inline = { kind: "strong", children: [{ kind: "text", text: field.label }] };
  return { kind: "text", children: [label, { kind: "text", text: " " }, ...field.value] };
}

function splitActions(block: ActionsBlock, page: Room, limits: CardLimits): readonly Block[] {
  if (limits.actions === 0) {
    const links = block.actions.flatMap(({ label, url }): Inline[] =>
      url === undefined ? [] : [{ kind: "link", url, children: [{ kind: "text", text: label }] }],
    );
    return links.map((link) => ({ kind: "text", children: [link] }));
  }
  const longest = Math.min(limits.actionLabel ?? Infinity, page.text, Math.floor(page.bytes / 6));
  const result: ActionsBlock[] = [];
  for (const action of block.actions) {
    const button = { ...action, label: clippedText(action.label, longest) };
    const last = result.at(-1);
    const grown: ActionsBlock | null =
      last === undefined ? null : { kind: "actions", actions: [...last.actions, button] };
    if (grown !== null && grown.actions.length <= (limits.actions ?? Infinity) && fits(grown, page)) {
      result[result.length - 1] = grown;
    } else result.push({ kind: "actions", actions: [button] });
  }
  return result;
}

function bytesOf(value: unknown, room: Room): number {
  return room.bytes === Number.POSITIVE_INFINITY ? 0 : jsonBytes(value);
}
