// Reads Markdown into card blocks; untrusted Markdown comes out without HTML, images, links and mass mentions.
import type {
  Definition,
  FootnoteDefinition,
  List,
  ListItem,
  Nodes,
  Parents,
  PhrasingContent,
  RootContent,
} from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Block, Inline } from "../core/card.ts";
import { joined, textInlines } from "./inlines.ts";
import { visibleCode, visibleText } from "./visible-text.ts";

/** `template`: our own text; links and images stay. `untrusted`: an agent's or a committer's text. */
export type MarkdownOrigin = "template" | "untrusted";

interface Reading {
  readonly trusted: boolean;
  readonly source: string;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly usedDefinitions: Set<string>;
  readonly footnotes: FootnoteDefinition[];
}

/** Untrusted headings stand below the card's own. */
const DEMOTION = 3;

const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

export function readMarkdown(markdown: string, origin: MarkdownOrigin): readonly Block[] {
  const root = fromMarkdown(markdown, { extensions, mdastExtensions });
  const reading: Reading = {
    trusted: origin === "template",
    source: markdown,
    definitions: markdown.includes("]:") ? definitionsOf(root) : new Map(),
    usedDefinitions: new Set(),
    footnotes: [],
  };
  const blocks = root.children.flatMap((node) => blocksOf(node, reading));
  return [...blocks, ...footnotesOf(reading), ...unusedDefinitions(reading)];
}

function blocksOf(node: RootContent, reading: Reading): readonly Block[] {
  switch (node.type) {
    case "paragraph": {
      const [only, ...others] = node.children;
      if (reading.trusted && only?.type === "image" && others.length === 0) {
        return [{ kind: "image", url: only.url, alt: only.alt ?? "" }];
      }
      return textBlock(inlinesOf(node.children, reading));
    }
    case "heading": {
      const children = inlinesOf(node.children, reading);
      if (children.length === 0) return [];
      const level = reading.trusted ? node.depth : Math.min(6, node.depth + DEMOTION);
      return [{ kind: "heading", level: level as 1 | 2 | 3 | 4 | 5 | 6, children }];
    }
    case "blockquote": {
      const blocks = node.children.flatMap((child) => blocksOf(child, reading));
      return blocks.length === 0 ? [] : [{ kind: "quote", blocks }];
    }
    case "list":
      return listBlocks(node, reading);
    case "code": {
      const language = node.lang ?? "";
      const text = cleanedBy(visibleCode, node.value, reading);
      return [{ kind: "code", ...(language === "" ? {} : { language: languageName(language, reading) }), text }];
    }
    case "table": {
      const [header, ...rows] = node.children.map((row) =>
        row.children.map((cell) => inlinesOf(cell.children, reading)),
      );
      return header === undefined ? [] : [{ kind: "table", header, rows }];
    }
    case "thematicBreak":
      return [{ kind: "divider" }];
    case "html":
      return reading.trusted && node.value.startsWith("<!--")
        ? []
        : textBlock(textInlines(literal(node.value, reading)));
    case "footnoteDefinition":
      reading.footnotes.push(node);
      return [];
    case "definition":
    case "yaml":
      return [];
    default:
      return textBlock(inlinesOf([node as PhrasingContent], reading));
  }
}

function listBlocks(list: List, reading: Reading): readonly Block[] {
  const ordered = list.ordered === true;
  const items = list.children.map((item) => itemBlocks(item, reading)).filter((blocks) => blocks.length > 0);
  const [first] = items;
  if (first === undefined) return [];
  const start = list.start ?? 1;
  // "1986. A great year" is a sentence, not the item 1986 of a list.
  if (!reading.trusted && ordered && items.length === 1 && start > 1) {
    return prefixed(first, `${start}${delimiterAfter(list, start, reading)} `);
  }
  return [{ kind: "list", ordered, ...(ordered && start !== 1 ? { start } : {}), items }];
}

function itemBlocks(item: ListItem, reading: Reading): readonly Block[] {
  const blocks = item.children.flatMap((child) => blocksOf(child, reading));
  if (item.checked === null || item.checked === undefined) return blocks;
  return prefixed(blocks, item.checked ? "[x] " : "[ ] ");
}

/** The `.` or `)` after an item's number, as it was written. */
function delimiterAfter(list: List, start: number, reading: Reading): string {
  const offset = list.position?.start.offset ?? 0;
  return reading.source.slice(offset).replace(/^[\s>]*0*/, "")[String(start).length] === ")" ? ")" : ".";
}

function prefixed(blocks: readonly Block[], prefix: string): readonly Block[] {
  const [first, ...others] = blocks;
  const text: Inline = { kind: "text", text: prefix };
  if (first?.kind === "text") return [{ kind: "text", children: joined([text, ...first.children]) }, ...others];
  return [{ kind: "text", children: [text] }, ...blocks];
}

function inlinesOf(nodes: readonly PhrasingContent[], reading: Reading): readonly Inline[] {
  const inlines = joined(nodes.flatMap((node) => inlineOf(node, reading)));
  // Cleaned after joining: a mention may be written in several pieces (`@` and `&#101;veryone`).
  return reading.trusted ? inlines : inlines.map(cleaned);
}

function cleaned(inline: Inline): Inline {
  return inline.kind === "text" ? { kind: "text", text: visibleText(inline.text) } : inline;
}

function inlineOf(node: PhrasingContent, reading: Reading): readonly Inline[] {
  switch (node.type) {
    case "text":
      // A template's line ends are its author's layout; in a message people mean them.
      return reading.trusted ? [{ kind: "text", text: node.value.replaceAll("\n", " ") }] : textInlines(node.value);
    case "strong":
    case "emphasis":
      return wrapped(node.type, inlinesOf(node.children, reading));
    case "delete":
      return wrapped("strike", inlinesOf(node.children, reading));
    case "inlineCode":
      return [{ kind: "code", text: cleanedBy(visibleText, node.value, reading) }];
    case "break":
      return [{ kind: "break" }];
    case "html":
      return textInlines(literal(node.value, reading));
    case "link":
      return linkInlines(node.url, inlinesOf(node.children, reading), reading);
    case "linkReference": {
      const url = urlOf(node.identifier, reading);
      return linkInlines(url ?? "", inlinesOf(node.children, reading), reading);
    }
    case "image":
      return imageInlines(node.alt ?? "", node.url);
    case "imageReference":
      return imageInlines(node.alt ?? "", urlOf(node.identifier, reading) ?? "");
    case "footnoteReference":
      return [{ kind: "text", text: `[${node.label ?? node.identifier}]` }];
    default:
      return [];
  }
}

function wrapped(kind: "strong" | "emphasis" | "strike", children: readonly Inline[]): readonly Inline[] {
  return children.length === 0 ? [] : [{ kind, children }];
}

function linkInlines(url: string, children: readonly Inline[], reading: Reading): readonly Inline[] {
  if (reading.trusted) return children.length === 0 ? [] : [{ kind: "link", url, children }];
  const [only] = children;
  const shown = children.length === 1 && only?.kind === "text" ? only.text : null;
  // An address that was written out says where it leads already.
  const written = [url, url.replace(/^http:\/\//, ""), url.replace(/^mailto:/, "")].map(visibleText);
  if (url === "" || (shown !== null && written.includes(shown))) return children;
  return [...children, { kind: "text", text: children.length === 0 ? url : ` (${url})` }];
}

function imageInlines(alt: string, url: string): readonly Inline[] {
  if (alt === "" || url === "") return textInlines(alt === "" ? url : alt);
  return textInlines(`${alt} (${url})`);
}

/** Raw HTML stays text as it was written. */
function literal(html: string, reading: Reading): string {
  return reading.trusted ? html : visibleText(html);
}

function cleanedBy(clean: (text: string) => string, text: string, reading: Reading): string {
  return reading.trusted ? text : clean(text);
}

function languageName(info: string, reading: Reading): string {
  return reading.trusted ? info : info.replace(/[^\w+#.-]/g, "").slice(0, 32);
}

function textBlock(children: readonly Inline[]): readonly Block[] {
  return children.length === 0 ? [] : [{ kind: "text", children }];
}

function urlOf(identifier: string, reading: Reading): string | undefined {
  reading.usedDefinitions.add(identifier);
  return reading.definitions.get(identifier)?.url;
}

function definitionsOf(node: Nodes, found: Map<string, Definition> = new Map()): ReadonlyMap<string, Definition> {
  if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
  if ("children" in node) for (const child of (node as Parents).children) definitionsOf(child, found);
  return found;
}

/** Footnotes end the text, in the order in which they were written. */
function footnotesOf(reading: Reading): readonly Block[] {
  const blocks: Block[] = [];
  // A footnote's own text may hold another definition, which then joins the end of the list.
  for (let index = 0; index < reading.footnotes.length; index++) {
    const note = reading.footnotes[index];
    if (note === undefined) break;
    const content = note.children.flatMap((child) => blocksOf(child, reading));
    blocks.push(...prefixed(content, `[${note.label ?? note.identifier}] `));
  }
  return blocks;
}

/** A definition that nothing refers to is text that somebody wrote. */
function unusedDefinitions(reading: Reading): readonly Block[] {
  if (reading.trusted) return [];
  return [...reading.definitions.values()]
    .filter((definition) => !reading.usedDefinitions.has(definition.identifier))
    .flatMap((definition) => {
      const title = definition.title ? ` "${definition.title}"` : "";
      const text = `[${definition.label ?? definition.identifier}]: ${definition.url}${title}`;
      return textBlock(textInlines(visibleText(text)));
    });
}
