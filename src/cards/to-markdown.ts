// Writes cards as Markdown, for pipes, files and attachments; plain text is escaped, so that reading it again gives the same text.
import type { Block, Card, Inline } from "../core/card.ts";

/** Title as a first-level heading, then the blocks. Buttons that open a page become links, others are left out. */
export function cardToMarkdown(card: Card): string {
  const title = escapeMarkdown(card.title);
  const heading = card.link === undefined ? title : `[${title}](${destination(card.link)})`;
  const body = blocksToMarkdown(card.blocks);
  return card.title === "" ? body : `# ${heading}\n${body === "" ? "" : `\n${body}`}`;
}

/** Ends with a newline unless there is nothing to write. */
export function blocksToMarkdown(blocks: readonly Block[]): string {
  const parts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const text = blockMarkdown(block);
    if (text === "") continue;
    // Two lists in a row would become one.
    if (block.kind === "list" && blocks[index - 1]?.kind === "list") parts.push("<!-- -->");
    parts.push(text);
  }
  return parts.length === 0 ? "" : `${parts.join("\n\n")}\n`;
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(block.level)} ${inlineMarkdown(block.children).replaceAll("\\\n", " ")}`;
    case "text":
      return inlineMarkdown(block.children);
    case "fields":
      return block.fields
        .map((field) => `**${escapeMarkdown(field.label)}** ${inlineMarkdown(field.value)}`)
        .join("\\\n");
    case "list":
      return block.items.map((item, index) => listItem(item, block.ordered, (block.start ?? 1) + index)).join("\n");
    case "table":
      return [
        tableRow(block.header),
        `|${" --- |".repeat(Math.max(1, block.header.length))}`,
        ...block.rows.map(tableRow),
      ].join("\n");
    case "code":
      return fenced(block.text, block.language ?? "");
    case "quote":
      return indented(blocksToMarkdown(block.blocks).trimEnd(), "> ", "> ");
    case "image":
      return `![${escapeMarkdown(block.alt)}](${destination(block.url)})`;
    case "divider":
      return "***";
    case "actions":
      return block.actions
        .filter((action) => action.url !== undefined)
        .map((action) => `[${escapeMarkdown(action.label)}](${destination(action.url ?? "")})`)
        .join(" · ");
  }
}

function listItem(item: readonly Block[], ordered: boolean, number: number): string {
  const marker = ordered ? `${number}. ` : "- ";
  return indented(blocksToMarkdown(item).trimEnd(), marker, " ".repeat(marker.length));
}

function indented(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => (index === 0 ? first : others) + line)
    .map((line) => (line.trim() === "" ? "" : line))
    .join("\n");
}

/** Stands for a bar in a cell's code until the row is written: there, a backslash before it is no part of the code. */
const CELL_BAR = "\uE001";

function tableRow(row: readonly (readonly Inline[])[]): string {
  return `| ${row.map((cell) => inlineMarkdown(cell.map(cellInline)).replaceAll("\n", " ").replaceAll(CELL_BAR, "\\|")).join(" | ")} |`;
}

/** A cell has one line, and a bar ends it even inside code. */
function cellInline(inline: Inline): Inline {
  if (inline.kind === "break") return { kind: "text", text: " " };
  if (inline.kind === "code") return { kind: "code", text: inline.text.replaceAll("|", CELL_BAR) };
  return "children" in inline ? { ...inline, children: inline.children.map(cellInline) } : inline;
}

/** A fence that is longer than any run of backticks inside. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

export function inlineMarkdown(inlines: readonly Inline[]): string {
  return written(withoutOuterBreaks(inlines.flatMap(hoisted)), "", "");
}

/** @param before, after what stands next to the inlines: marks mean something only beside the right neighbours. */
function written(inlines: readonly Inline[], before: string, after: string): string {
  const flat = inlines.flatMap(hoisted);
  let text = "";
  for (const [index, inline] of flat.entries()) {
    const next = flat[index + 1];
    text += oneInline(inline, before + text, next === undefined ? after : firstSign(next));
  }
  return text;
}

function oneInline(inline: Inline, before: string, after: string): string {
  switch (inline.kind) {
    case "text":
      return escapeMarkdown(inline.text);
    case "code":
      // Backticks in a row would make one longer mark.
      return before.endsWith("`") ? escapeMarkdown(inline.text) : codeSpan(inline.text);
    case "break":
      return "\\\n";
    case "link":
      return `[${written(inline.children, "[", "]")}](${destination(inline.url)})`;
    case "strong":
      return delimited("**", inline.children, before, after);
    case "emphasis":
      return delimited("*", inline.children, before, after);
    case "strike":
      return delimited("~~", inline.children, before, after);
  }
}

/** Breaks at the edges of emphasis stand outside it, where they do no harm. */
function hoisted(inline: Inline): readonly Inline[] {
  if (!("children" in inline)) return [inline];
  // The same mark twice would close itself.
  const children = inline.children.flatMap((child) => without(inline.kind, child)).flatMap(hoisted);
  const inner = withoutOuterBreaks(children);
  if (inner.length === children.length) return [{ ...inline, children }];
  const breaks = children.length - inner.length;
  const leading = inner.length === 0 ? breaks : children.findIndex((child) => child.kind !== "break");
  const broken = (count: number) => Array.from({ length: count }, (): Inline => ({ kind: "break" }));
  const middle = inner.length === 0 ? [] : [{ ...inline, children: inner }];
  return [...broken(leading), ...middle, ...broken(breaks - leading)];
}

function without(kind: Inline["kind"], inline: Inline): readonly Inline[] {
  if (!("children" in inline)) return [inline];
  const children = inline.children.flatMap((child) => without(kind, child));
  return inline.kind === kind ? children : [{ ...inline, children }];
}

function withoutOuterBreaks(inlines: readonly Inline[]): readonly Inline[] {
  const first = inlines.findIndex((inline) => inline.kind !== "break");
  return first === -1 ? [] : inlines.slice(first, inlines.findLastIndex((inline) => inline.kind !== "break") + 1);
}

function firstSign(inline: Inline): string {
  if (inline.kind === "text") return inline.text.slice(0, 1);
  if (inline.kind === "break") return "\\";
  return inline.kind === "code" ? "`" : inline.kind === "link" ? "[" : "*";
}

/** Emphasis where Markdown would read it as such; elsewhere the text stands without it, rather than with stray asterisks. */
function delimited(mark: string, children: readonly Inline[], before: string, after: string): string {
  const text = written(children, mark, mark);
  const [, left = "", middle = "", right = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  const opens = opensAfter(left === "" ? before.slice(-1) : " ", middle.slice(0, 1));
  const closes = opensAfter(right === "" ? after : " ", middle.slice(-1));
  const works = middle !== "" && opens && closes;
  return works ? `${left}${mark}${middle}${mark}${right}` : written(children, before, after);
}

/** A mark works between white space and anything, or beside a letter outside of other marks. */
function opensAfter(outside: string, inside: string): boolean {
  if (outside === "" || /\s/.test(outside)) return true;
  return /[\p{L}\p{N}]/u.test(inside) && !/[*~_\\]/.test(outside);
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const pad = /^[`\s]|[`\s]$/.test(text) ? " " : "";
  return ticks + pad + text.replaceAll("\n", " ") + pad + ticks;
}

/** Every character that could mean more than itself, wherever it stands. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>#|~&]/g, "\\$&")
    .replace(/\b(https?|www)(?=:\/\/|\.)(.)/gi, "$1\\$2")
    .replace(/^(\s*)([-+=:])/gm, "$1\\$2")
    .replace(/^(\s*\d{1,9})([.)])/gm, "$1\\$2")
    .replace(/!$/, "\\!");
}

function destination(url: string): string {
  return `<${url.replace(/[<>\s]/g, (sign) => encodeURIComponent(sign))}>`;
}
