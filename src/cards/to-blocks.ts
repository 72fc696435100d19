// Turns a rendered template into card blocks: the template's skeleton is read once, then its slots are filled.
import type { Block, Inline } from "../core/card.ts";
import type { Rendered, Slot } from "../ports/texts.ts";
import { clippedText } from "./cut-text.ts";
import { flattened, joined, textInlines } from "./inlines.ts";
import { readMarkdown } from "./read-markdown.ts";
import { readProse } from "./read-prose.ts";
import { inlineText } from "./readable-text.ts";
import { visibleCode, visibleLine, visibleText } from "./visible-text.ts";

/** Turns rendered templates into blocks; remembers the skeletons and messages that it has read, so make one for each composition. */
export type ToBlocks = (rendered: Rendered) => readonly Block[];

/** Length of a problem's first line in lists, UTF-16 code units. */
const LEAD_LENGTH = 140;

const placeholder = /\uE000(\d+)\uE001/;
const placeholders = /(\uE000\d+\uE001)/;

export function createToBlocks(): ToBlocks {
  const skeletons = new Map<string, readonly Block[]>();
  const messages = new Map<string, readonly Block[]>();

  return ({ markdown, slots }) => {
    let skeleton = skeletons.get(markdown);
    if (skeleton === undefined) {
      skeleton = readMarkdown(markdown, "template");
      skeletons.set(markdown, skeleton);
    }
    return fillBlocks(skeleton, (key) => slots.get(key), readMessage);
  };

  function readMessage(markdown: string): readonly Block[] {
    let blocks = messages.get(markdown);
    if (blocks === undefined) {
      blocks = untrustedBlocks(markdown);
      messages.set(markdown, blocks);
    }
    return blocks;
  }
}

/** One rendered template's blocks. */
export function toBlocks(rendered: Rendered): readonly Block[] {
  return createToBlocks()(rendered);
}

/** Untrusted Markdown as blocks that stand in a card. */
export function untrustedBlocks(markdown: string): readonly Block[] {
  return readProse(markdown) ?? readMarkdown(markdown, "untrusted");
}

type FindSlot = (key: string) => Slot | undefined;
type ReadMessage = (markdown: string) => readonly Block[];

function fillBlocks(blocks: readonly Block[], find: FindSlot, read: ReadMessage): readonly Block[] {
  return blocks.flatMap((block) => fillBlock(block, find, read));
}

function fillBlock(block: Block, find: FindSlot, read: ReadMessage): readonly Block[] {
  switch (block.kind) {
    case "text": {
      const [only] = block.children;
      if (block.children.length === 1 && only?.kind === "text") {
        const slot = find(only.text.trim());
        if (slot?.kind === "markdown") return read(slot.text);
        if (slot?.kind === "fence") return fence(slot);
      }
      const children = fill(block.children);
      return inlineText(children).trim() === "" ? [] : [{ kind: "text", children }];
    }
    case "heading": {
      const children = fill(block.children);
      return inlineText(children).trim() === "" ? [] : [{ kind: "heading", level: block.level, children }];
    }
    case "quote": {
      const inner = fillBlocks(block.blocks, find, read);
      return inner.length === 0 ? [] : [{ kind: "quote", blocks: inner }];
    }
    case "list": {
      const items = block.items.map((item) => fillBlocks(item, find, read)).filter((item) => item.length > 0);
      return items.length === 0 ? [] : [{ ...block, items }];
    }
    case "code":
      return [{ ...block, text: visibleCode(fillString(block.text, find)) }];
    case "table":
      return tableOrFields(
        block.header.map(fill),
        block.rows.map((row) => row.map(fill)),
      );
    case "image": {
      const url = safeUrl(fillString(block.url, find));
      const alt = visibleText(fillString(block.alt, find));
      return url === null ? [] : [{ kind: "image", url, alt }];
    }
    default:
      return [block];
  }

  function fill(inlines: readonly Inline[]): readonly Inline[] {
    return fillInlines(inlines, find, read);
  }
}

/** A template's table of two columns whose header is empty is a list of fields; fields without a value are left out. */
function tableOrFields(
  header: readonly (readonly Inline[])[],
  rows: readonly (readonly (readonly Inline[])[])[],
): readonly Block[] {
  if (header.length !== 2 || header.some((cell) => cell.length > 0)) return [{ kind: "table", header, rows }];
  const fields = rows.flatMap(([label = [], value = []]) =>
    inlineText(value).trim() === "" ? [] : [{ label: inlineText(label), value }],
  );
  return fields.length === 0 ? [] : [{ kind: "fields", fields }];
}

function fillInlines(inlines: readonly Inline[], find: FindSlot, read: ReadMessage): readonly Inline[] {
  return joined(
    inlines.flatMap((inline): readonly Inline[] => {
      switch (inline.kind) {
        case "text":
          return inline.text.includes("\uE000") ? fillText(inline.text, find, read) : [inline];
        case "code":
          return [{ kind: "code", text: visibleLine(fillString(inline.text, find)) }];
        case "break":
          return [inline];
        case "link": {
          const children = fillInlines(inline.children, find, read);
          const url = safeUrl(fillString(inline.url, find));
          return url === null || children.length === 0 ? children : [{ kind: "link", url, children }];
        }
        default: {
          const children = fillInlines(inline.children, find, read);
          return children.length === 0 ? [] : [{ kind: inline.kind, children }];
        }
      }
    }),
  );
}

function fillText(text: string, find: FindSlot, read: ReadMessage): readonly Inline[] {
  return text.split(placeholders).flatMap((part) => {
    const slot = find(part);
    if (slot === undefined) return [{ kind: "text", text: part.replace(placeholder, "") } as const];
    return slotInlines(slot, read);
  });
}

function slotInlines(slot: Slot, read: ReadMessage): readonly Inline[] {
  switch (slot.kind) {
    case "text":
      return textInlines(visibleText(slot.text));
    case "code":
      return [{ kind: "code", text: visibleLine(slot.text) }];
    case "fence":
      return flattened(fence(slot));
    case "link": {
      const url = safeUrl(slot.url);
      const label: Inline = { kind: "text", text: visibleLine(slot.text) };
      return url === null || slot.text === "" ? [label] : [{ kind: "link", url, children: [label] }];
    }
    case "markdown":
      return flattened(read(slot.text));
    case "lead":
      return lead(read(slot.text));
  }
}

function fence(slot: Extract<Slot, { kind: "fence" }>): readonly Block[] {
  if (slot.text === "") return [];
  const text = visibleCode(slot.text.replace(/\n$/, ""));
  return [{ kind: "code", ...(slot.language === undefined ? {} : { language: slot.language }), text }];
}

/** The first line of a message, clipped where it is long. */
function lead(blocks: readonly Block[]): readonly Inline[] {
  const inlines = flattened(blocks);
  const end = inlines.findIndex((inline) => inline.kind === "break");
  const line = end === -1 ? inlines : inlines.slice(0, end);
  const text = inlineText(line);
  return text.length <= LEAD_LENGTH ? line : [{ kind: "text", text: clippedText(text, LEAD_LENGTH) }];
}

function fillString(text: string, find: FindSlot): string {
  if (!text.includes("\uE000")) return text;
  return text
    .split(placeholders)
    .map((part) => find(part)?.text ?? part.replace(placeholder, ""))
    .join("");
}

/** Only schemes that open a page or a letter; anything else is no link. */
function safeUrl(url: string): string | null {
  return /^(?:https?:\/\/|mailto:)[^\s\u0000-\u001f<>"]+$/i.test(url) ? url : null;
}
