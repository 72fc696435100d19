// Blocks as elements of a card: one element each, so that nothing can run from one into the next.
import type { ActionButton, Block, Field } from "../../../src/core/card.ts";
import { cardText } from "../../kit/plain-text.ts";
import type { ButtonValue } from "./button-value.ts";
import { writeButtonValue } from "./button-value.ts";
import type { ButtonElement, CardElement, ColumnSetElement } from "./elements.ts";
import { fenced, plainText, webAddress } from "./escape.ts";
import { writeCell, writeInlines, writeLine } from "./write-inlines.ts";

export interface BlockOptions {
  /** Ids that are unique within the card. */
  readonly nextId: () => string;
  /** What the buttons carry beside their token. */
  readonly place: Omit<ButtonValue, "token">;
  /** False where clicks are not heard: only buttons that open an address are shown. */
  readonly hearsClicks: boolean;
}

/** Text of one element, or an element that is none. */
type Piece = { readonly markdown: string } | { readonly element: CardElement };

export function writeBlocks(blocks: readonly Block[], options: BlockOptions): readonly CardElement[] {
  return blocks
    .flatMap((block) => topPieces(block, options))
    .map((piece) =>
      "element" in piece ? piece.element : { tag: "markdown", element_id: options.nextId(), content: piece.markdown },
    );
}

function topPieces(block: Block, options: BlockOptions): readonly Piece[] {
  switch (block.kind) {
    case "table":
      return [{ markdown: table(block) }];
    case "actions":
      return buttons(block.actions, options);
    case "divider":
      return [{ element: { tag: "hr", element_id: options.nextId() } }];
    default:
      return innerPieces(block, options);
  }
}

/** Blocks that may stand within others; what the dialect cannot nest stands by itself. */
function innerPieces(block: Block, options: BlockOptions): readonly Piece[] {
  switch (block.kind) {
    case "heading":
      return text(`${"#".repeat(block.level <= 2 ? 4 : 5)} ${writeInlines(block.children).replaceAll("<br>", " ")}`);
    case "text":
      return text(writeLine(block.children));
    case "fields":
      return text(block.fields.map(field).join("<br>"));
    case "list":
      return list(block, options);
    case "code":
      return block.text === "" ? [] : [{ markdown: fenced(block.text, block.language) }];
    case "quote":
      return block.blocks.flatMap((inner) => innerPieces(inner, options)).map(quoted);
    case "table":
      // Nested tables are not counted by whoever fitted the card, so they are none.
      return [{ markdown: fenced(cardText({ title: "", tone: "neutral", fallback: "", blocks: [block] })) }];
    case "image":
      // Only pictures that were uploaded can be shown; this one is elsewhere.
      return text(writeLine([{ kind: "text", text: block.alt }]));
    case "divider":
      return [{ element: { tag: "hr", element_id: options.nextId() } }];
    case "actions":
      return [];
  }
}

function text(markdown: string): readonly Piece[] {
  return markdown.trim() === "" ? [] : [{ markdown }];
}

function field({ label, value }: Field): string {
  const name = writeInlines([{ kind: "strong", children: [{ kind: "text", text: label }] }]);
  return `${name}  ${writeInlines(value)}`;
}

function list(block: Extract<Block, { kind: "list" }>, options: BlockOptions): readonly Piece[] {
  const pieces: Piece[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) pieces.push({ markdown: lines.join("\n") });
    lines = [];
  };
  for (const [index, item] of block.items.entries()) {
    const mark = block.ordered ? `${(block.start ?? 1) + index}.` : "-";
    for (const [place, piece] of item.flatMap((inner) => innerPieces(inner, options)).entries()) {
      if ("element" in piece || /^`{3,}/.test(piece.markdown)) {
        // A code block cannot stand in a list: it stands behind the lines before it.
        if (place === 0) lines.push(mark);
        flush();
        pieces.push(piece);
      } else if (place === 0) lines.push(`${mark} ${piece.markdown}`);
      else if (isNested(piece.markdown)) lines.push(...piece.markdown.split("\n").map((line) => `    ${line}`));
      else if (lines.length > 0) lines[lines.length - 1] += `<br>${piece.markdown}`;
      else lines.push(piece.markdown);
    }
  }
  flush();
  return pieces;
}

/** Lists and quotes alone begin with a mark: every other text is guarded against them. */
function isNested(markdown: string): boolean {
  return /^\s*(?:-|\d+\.|>)(?: |$)/.test(markdown);
}

function quoted(piece: Piece): Piece {
  if ("element" in piece || /^`{3,}/.test(piece.markdown)) return piece;
  return {
    markdown: piece.markdown
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n"),
  };
}

function table({ header, rows }: Extract<Block, { kind: "table" }>): string {
  const width = Math.max(1, header.length);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const written = [header, ...rows].map((row) =>
    Array.from({ length: width }, (_, index) => writeCell(row[index] ?? []) || "&nbsp;"),
  );
  const [first = [], ...rest] = written;
  return [line(first), line(first.map(() => "---")), ...rest.map(line)].join("\n");
}

function buttons(actions: readonly ActionButton[], options: BlockOptions): readonly Piece[] {
  const shown = actions.flatMap((action) => button(action, options));
  if (shown.length === 0) return [];
  const element: ColumnSetElement = {
    tag: "column_set",
    element_id: options.nextId(),
    flex_mode: "flow",
    horizontal_spacing: "8px",
    columns: shown.map((one) => ({ tag: "column", width: "auto", elements: [one] })),
  };
  return [{ element }];
}

/** None for a button that neither opens an address of the web nor can be heard. */
function button({ label, token, url, style }: ActionButton, options: BlockOptions): readonly ButtonElement[] {
  const look = { tag: "button", type: style, text: { tag: "plain_text", content: plainText(label) } } as const;
  if (url !== undefined) {
    const address = webAddress(url);
    if (address === null) return [];
    return [{ ...look, element_id: options.nextId(), behaviors: [{ type: "open_url", default_url: address }] }];
  }
  if (token === undefined || !options.hearsClicks) return [];
  const value = writeButtonValue({ token, ...options.place });
  return [{ ...look, element_id: options.nextId(), behaviors: [{ type: "callback", value }] }];
}

/** Whether a block or one within it leads to that address. */
export function leadsTo(blocks: readonly Block[], url: string): boolean {
  return JSON.stringify(blocks).includes(JSON.stringify(url));
}
