// Blocks of a card as Discord's Markdown.
import { tableAsCode } from "../../src/cards/table-as-code.ts";
import type { ActionButton, Block, Inline } from "../../src/core/card.ts";
import { codeSpan, escapeText, fenced, maskedLink, safeUrl } from "./escape.ts";

export function blocksMarkdown(blocks: readonly Block[]): string {
  let text = "";
  let isAfterHeading = false;
  for (const block of blocks) {
    const written = blockMarkdown(block);
    if (written === "") continue;
    text += text === "" ? written : `${isAfterHeading ? "\n" : "\n\n"}${written}`;
    isAfterHeading = block.kind === "heading";
  }
  return text;
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "heading": {
      const line = oneLine(inlineMarkdown(block.children, false));
      return line === "" ? "" : `### ${line}`;
    }
    case "text":
      return inlineMarkdown(block.children, true);
    case "fields":
      return block.fields
        .map(
          ({ label, value }) =>
            `${delimited("**", `${escapeText(label, false).trimEnd()}:`)} ${inlineMarkdown(value, false)}`,
        )
        .join("\n");
    case "list":
      return block.items
        .map((item, index) => listItem(item, block.ordered ? `${(block.start ?? 1) + index}. ` : "- "))
        .filter((item) => item !== "")
        .join("\n");
    case "table":
      return fenced(tableAsCode(block).text);
    case "code":
      return fenced(block.text, block.language);
    case "quote":
      return quoted(blocksMarkdown(block.blocks));
    case "image": {
      // An address that somebody wrote is not fetched for everybody to see.
      const url = safeUrl(block.url);
      return url === null ? escapeText(block.alt, true) : maskedLink(block.alt, url);
    }
    case "divider":
      return "";
    case "actions":
      return linksMarkdown(block.actions);
  }
}

/** Buttons that open a page, as links; others mean nothing as text. */
export function linksMarkdown(actions: readonly ActionButton[]): string {
  return actions
    .flatMap(({ label, url }) => {
      const address = url === undefined ? null : safeUrl(url);
      return address === null ? [] : [maskedLink(label, address)];
    })
    .join(" · ");
}

/** What belongs to an item stands below it; code keeps its own margin, because it is copied. */
function listItem(blocks: readonly Block[], mark: string): string {
  const [first, ...others] = blocks.map(blockMarkdown).filter((text) => text !== "");
  if (first === undefined) return "";
  const head = first.startsWith("```") ? `${mark}\u2060\n${first}` : mark + indented(first);
  return [head, ...others.map((text) => (text.startsWith("```") ? text : `  ${indented(text)}`))].join("\n");
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

/** Discord has one level of quotes. */
function quoted(text: string): string {
  if (text === "") return "";
  return text
    .split("\n")
    .map((line) => `> ${line.replace(/^(?:> )+/, "\u2502 ")}`)
    .join("\n");
}

/** @param isLineStart whether it stands at the beginning of a line, an item or a quote. */
export function inlineMarkdown(inlines: readonly Inline[], isLineStart: boolean): string {
  let text = "";
  for (const inline of joined(inlines)) {
    const isStart = text === "" ? isLineStart : /\n\s*$/.test(text);
    const written = oneInline(inline, isStart);
    if (written === "") continue;
    // Two marks in a row would be read as one longer mark.
    const meets = /[*~`]$/.test(text) && /^[*~`]/.test(written);
    text += meets ? `\u2060${written}` : written;
  }
  return text.trim() === "" ? "" : text;
}

function oneInline(inline: Inline, isLineStart: boolean): string {
  switch (inline.kind) {
    case "text":
      return escapeText(inline.text, isLineStart);
    case "code":
      return codeSpan(inline.text);
    case "break":
      return "\n";
    case "strong":
    case "emphasis":
    case "strike":
      return formatted(inline.kind, without(inline.kind, inline.children), isLineStart);
    case "link": {
      const url = safeUrl(inline.url);
      return url === null ? inlineMarkdown(inline.children, isLineStart) : maskedLink(plainText(inline.children), url);
    }
  }
}

const marks = { strong: "**", emphasis: "*", strike: "~~" } as const;

/** Code and links hold signs that cannot be escaped; marks around the same signs would end there, so they are left out. */
function formatted(kind: keyof typeof marks, children: readonly Inline[], isLineStart: boolean): string {
  const text = inlineMarkdown(children, isLineStart);
  const [sign = ""] = marks[kind];
  return holds(children, sign) ? text : delimited(marks[kind], text);
}

function holds(inlines: readonly Inline[], sign: string): boolean {
  return inlines.some((inline) => {
    if (inline.kind === "code") return inline.text.includes(sign);
    if (inline.kind === "link") return inline.url.includes(sign) || plainText(inline.children).includes(sign);
    return "children" in inline && holds(inline.children, sign);
  });
}

/** What is strong already cannot be stronger: its marks twice would be read as text. */
function without(kind: keyof typeof marks, inlines: readonly Inline[]): readonly Inline[] {
  return inlines.flatMap((inline) => {
    if (!("children" in inline)) return [inline];
    const children = without(kind, inline.children);
    return inline.kind === kind ? children : [{ ...inline, children }];
  });
}

/** Spaces at the ends stand outside of the marks, which would mean nothing beside them. */
function delimited(mark: string, text: string): string {
  const [, before = "", inside = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return inside === "" ? before + after : `${before}${mark}${inside}${mark}${after}`;
}

/** Texts in a row are one, so that a sign and what follows it are read together. */
function joined(inlines: readonly Inline[]): readonly Inline[] {
  const result: Inline[] = [];
  for (const inline of inlines) {
    const last = result.at(-1);
    if (inline.kind === "text" && last?.kind === "text") {
      result[result.length - 1] = { kind: "text", text: last.text + inline.text };
    } else result.push(inline);
  }
  return result;
}

export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.kind === "text" || inline.kind === "code") return inline.text;
      return inline.kind === "break" ? " " : plainText(inline.children);
    })
    .join("");
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
