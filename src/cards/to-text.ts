// Writes cards as plain text for a terminal: wrapped by display width, with colours and clickable links where there are any.
import type { Block, Card, Inline, Tone } from "../core/card.ts";
import { inlineText } from "./readable-text.ts";
import { tableAsCode } from "./table-as-code.ts";
import { wrapped } from "./wrap-text.ts";

export interface TextOptions {
  /** ANSI colours and weights. */
  readonly colour: boolean;
  /** OSC 8 links; without them, an address follows its text in parentheses. */
  readonly links: boolean;
  /** Columns; lines are wrapped between words. Code keeps its lines. */
  readonly width: number;
}

type Paint = (code: string, text: string) => string;

interface Writer {
  readonly options: TextOptions;
  readonly paint: Paint;
}

const toneColours: Readonly<Record<Tone, string>> = {
  neutral: "1",
  good: "1;32",
  info: "1;36",
  warning: "1;33",
  danger: "1;31",
};
const LEAST_WIDTH = 20;

/** Ends with a newline. Buttons that open a page are written as links, others are left out. */
export function cardToText(card: Card, options: TextOptions): string {
  const writer: Writer = { options, paint: options.colour ? painted : (_, text) => text };
  const title = card.title === "" ? [] : titleLines(card, writer);
  const body = blockLines(card.blocks, options.width, writer);
  const gap = title.length > 0 && body.length > 0 ? [""] : [];
  return `${[...title, ...gap, ...body].join("\n")}\n`;
}

function titleLines(card: Card, writer: Writer): readonly string[] {
  const strong = (text: string) => writer.paint(toneColours[card.tone], text);
  const title = card.link === undefined ? strong(card.title) : linked(strong(card.title), card.link, writer);
  return wrapped(title, writer.options.width);
}

function blockLines(blocks: readonly Block[], width: number, writer: Writer): readonly string[] {
  const parts = blocks.map((block) => linesOf(block, Math.max(LEAST_WIDTH, width), writer));
  return parts.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function linesOf(block: Block, width: number, writer: Writer): readonly string[] {
  switch (block.kind) {
    case "heading":
      return wrapped(writer.paint("1", inlineString(block.children, writer)), width);
    case "text":
      return wrapped(inlineString(block.children, writer), width);
    case "fields":
      return fieldLines(block.fields, width, writer);
    case "list":
      return block.items.flatMap((item, index) => {
        const marker = block.ordered ? `${(block.start ?? 1) + index}. ` : "• ";
        return hung(itemLines(item, width - marker.length, writer), marker, " ".repeat(marker.length));
      });
    case "table":
      return codeLines(tableAsCode(block).text, undefined, writer);
    case "code":
      return codeLines(block.text, block.language, writer);
    case "quote":
      return blockLines(block.blocks, width - 2, writer).map((line) => `${writer.paint("2", "│")} ${line}`.trimEnd());
    case "image":
      return wrapped(linked(block.alt === "" ? block.url : block.alt, block.url, writer), width);
    case "divider":
      return [writer.paint("2", "─".repeat(Math.min(width, 40)))];
    case "actions": {
      const buttons = block.actions.flatMap(({ label, url }) =>
        url === undefined ? [] : [linked(label, url, writer)],
      );
      return buttons.length === 0 ? [] : wrapped(buttons.join(" · "), width);
    }
  }
}

/** A list's item keeps its paragraphs together. */
function itemLines(item: readonly Block[], width: number, writer: Writer): readonly string[] {
  return item.flatMap((block) => linesOf(block, Math.max(LEAST_WIDTH, width), writer));
}

function fieldLines(
  fields: Extract<Block, { kind: "fields" }>["fields"],
  width: number,
  writer: Writer,
): readonly string[] {
  return fields.flatMap((field) => {
    const text = `${writer.paint("2", `${field.label}:`)} ${inlineString(field.value, writer)}`;
    return hung(wrapped(text, width - 2), "", "  ");
  });
}

/** Code is indented, never wrapped: a broken line would be other code. Patches have their usual colours. */
function codeLines(text: string, language: string | undefined, writer: Writer): readonly string[] {
  return text.split("\n").map((line) => {
    const code = language === "diff" || language === "patch" ? diffColour(line) : "36";
    return line === "" ? "" : `    ${code === "" ? line : writer.paint(code, line)}`;
  });
}

function diffColour(line: string): string {
  if (line.startsWith("+")) return "32";
  if (line.startsWith("-")) return "31";
  return line.startsWith("@@") ? "36" : "";
}

function hung(lines: readonly string[], first: string, others: string): readonly string[] {
  return lines.map((line, index) => (index === 0 ? first + line : line === "" ? "" : others + line));
}

function inlineString(inlines: readonly Inline[], writer: Writer): string {
  return inlines.map((inline) => oneInline(inline, writer)).join("");
}

function oneInline(inline: Inline, writer: Writer): string {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return writer.options.colour ? writer.paint("36", inline.text) : `\`${inline.text}\``;
    case "break":
      return "\n";
    case "strong":
      return writer.paint("1", inlineString(inline.children, writer));
    case "emphasis":
      return writer.paint("3", inlineString(inline.children, writer));
    case "strike":
      return writer.paint("9", inlineString(inline.children, writer));
    case "link":
      return inlineText(inline.children) === inline.url
        ? inlineString(inline.children, writer)
        : linked(inlineString(inline.children, writer), inline.url, writer);
  }
}

function linked(text: string, url: string, { options, paint }: Writer): string {
  if (!options.links) return `${text} (${url})`;
  return `\u001b]8;;${url.replace(/[\u0000-\u001f\u007f]/g, "")}\u001b\\${paint("4", text)}\u001b]8;;\u001b\\`;
}

/** Every line of its own, so that wrapping and indenting leave no colour open. */
function painted(code: string, text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `\u001b[${code}m${line}\u001b[0m`))
    .join("\n");
}
