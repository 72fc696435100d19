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
      return "---";
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

function tableRow(row: readonly (readonly Inline[])[]): string {
  return `| ${row.map((cell) => inlineMarkdown(cell.map(cellInline)).replaceAll("\n", " ")).join(" | ")} |`;
}

/** A cell has one line, and a bar ends it even inside code. */
function cellInline(inline: Inline): Inline {
  if (inline.kind === "break") return { kind: "text", text: " " };
  if (inline.kind === "code") return { kind: "code", text: inline.text.replaceAll("|", "\\|") };
  return "children" in inline ? { ...inline, children: inline.children.map(cellInline) } : inline;
}

/** A fence that is longer than any run of backticks inside. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

export function inlineMarkdown(inlines: readonly Inline[]): string {
  return inlines.map(oneInline).join("");
}

function oneInline(inline: Inline): string {
  switch (inline.kind) {
    case "text":
      return escapeMarkdown(inline.text);
    case "code":
      return codeSpan(inline.text);
    case "break":
      return "\\\n";
    case "link":
      return `[${inlineMarkdown(inline.children)}](${destination(inline.url)})`;
    case "strong":
      return delimited("**", inline.children);
    case "emphasis":
      return delimited("*", inline.children);
    case "strike":
      return delimited("~~", inline.children);
  }
}

/** Delimiters open and close only at text, so white space goes outside. */
function delimited(mark: string, children: readonly Inline[]): string {
  const text = inlineMarkdown(children);
  const [, before = "", middle = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return middle === "" ? text : `${before}${mark}${middle}${mark}${after}`;
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
    .replace(/^(\s*)([-+=:!])/gm, "$1\\$2")
    .replace(/^(\s*\d{1,9})([.)])/gm, "$1\\$2");
}

function destination(url: string): string {
  return `<${url.replace(/[<>\s]/g, (sign) => encodeURIComponent(sign))}>`;
}
