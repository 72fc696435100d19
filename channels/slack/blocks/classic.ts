// A card's blocks in Slack's oldest forms, for a workspace or a client that refuses the newer ones: sections of escaped markup.
import type { KnownBlock, MrkdwnElement } from "@slack/types";
import { tableAsCode } from "../../../src/cards/table-as-code.ts";
import type { Block, Field, Inline } from "../../../src/core/card.ts";
import { inlineText } from "../../kit/plain-text.ts";
import { escapedParts, mrkdwnText, plainLine, plainText } from "../escape.ts";
import { actionBlocks } from "./buttons.ts";
import { labelLies, webAddress } from "./links.ts";

/** Of a section's text, and of one field. */
const MAX_SECTION = 3_000;
const MAX_FIELD = 2_000;
const MAX_FIELDS = 10;
/** Room for the marks around a piece that stands by itself. */
const PIECE = MAX_SECTION - 40;

const FENCE = "```";

type Mark = "*" | "_" | "~" | "`";

/** `*`, `_` and `~` of the card's own make; a piece is never cut again, so none is left open and no entity is split. */
export function classicBlocks(blocks: readonly Block[]): KnownBlock[] {
  const all: KnownBlock[] = [];
  let buttons = 0;
  for (const block of blocks) {
    if (block.kind === "actions") {
      all.push(...actionBlocks(block.actions, buttons));
      buttons += block.actions.length;
    } else if (block.kind === "divider") all.push({ type: "divider" });
    else if (block.kind === "fields" && fieldsFit(block.fields))
      all.push({ type: "section", fields: fields(block.fields) });
    else all.push(...sections(pieces(block)));
  }
  return all;
}

/** The same as one text, for the last resort; buttons cannot be shown there. */
export function classicText(blocks: readonly Block[]): string {
  return blocks
    .filter(({ kind }) => kind !== "actions" && kind !== "divider")
    .map((block) => pieces(block).join(""))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** As Slack is told not to turn addresses and names within into links or mentions. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: "mrkdwn", text, verbatim: true };
}

export function sections(given: readonly string[]): KnownBlock[] {
  const all: string[] = [];
  for (const piece of given) {
    const last = all.at(-1);
    if (last !== undefined && last.length + piece.length <= MAX_SECTION) all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all.filter((text) => text.trim() !== "").map((text) => ({ type: "section", text: mrkdwn(text) }));
}

function fieldsFit(all: readonly Field[]): boolean {
  return all.length > 0 && all.length <= MAX_FIELDS && fields(all).every(({ text }) => text.length <= MAX_FIELD);
}

function fields(all: readonly Field[]): MrkdwnElement[] {
  return all.map(({ label, value }) => mrkdwn(`*${mrkdwnText(label)}*\n${classicInlines(value).join("") || " "}`));
}

/** @param isInside of a list or a quote, where Slack knows no quote. */
function pieces(block: Block, isInside = false): string[] {
  switch (block.kind) {
    case "heading":
      return classicInlines(block.children, ["*"]);
    case "text":
      return classicInlines(block.children);
    case "fields":
      return block.fields.flatMap(({ label, value }, index) => [
        index === 0 ? "" : "\n",
        ...wrapped(`${label}:`, ["*"]),
        " ",
        ...classicInlines(value),
      ]);
    case "list":
      return block.items.flatMap((item, index) => {
        const mark = block.ordered ? `${(block.start ?? 1) + index}. ` : "\u2022 ";
        return [`${index === 0 ? "" : "\n"}${mark}`, ...continued(item.flatMap(lineOf), "    ")];
      });
    case "table":
      return fenced(tableAsCode(block).text);
    case "code":
      return fenced(block.text);
    case "quote":
      return isInside ? block.blocks.flatMap(lineOf) : ["> ", ...continued(block.blocks.flatMap(lineOf), "> ")];
    case "image":
      return classicInlines([{ kind: "link", url: block.url, children: [{ kind: "text", text: block.alt }] }]);
    case "divider":
      return ["\u2014"];
    case "actions":
      return [];
  }
}

function lineOf(block: Block, index: number): string[] {
  const own = pieces(block, true);
  return index === 0 ? own : ["\n", ...own];
}

/** Line by line, so that what begins each of them lengthens no piece much; code keeps its lines together. */
function continued(own: readonly string[], begin: string): string[] {
  return own.flatMap((piece) =>
    piece.startsWith(FENCE)
      ? [piece]
      : piece.split(/(?<=\n)/).map((line) => (line.endsWith("\n") ? line + begin : line)),
  );
}

function fenced(code: string): string[] {
  return escapedParts(code, PIECE).map((part) => `${FENCE}\n${part.replace(/\n$/, "")}\n${FENCE}`);
}

export function classicInlines(inlines: readonly Inline[], marks: readonly Mark[] = []): string[] {
  return inlines.flatMap((inline) => oneInline(inline, marks));
}

function oneInline(inline: Inline, marks: readonly Mark[]): string[] {
  switch (inline.kind) {
    case "text":
      return wrapped(inline.text, marks);
    case "code":
      return wrapped(inline.text, ["`"]);
    case "break":
      return ["\n"];
    case "strong":
      return classicInlines(inline.children, [...marks, "*"]);
    case "emphasis":
      return classicInlines(inline.children, [...marks, "_"]);
    case "strike":
      return classicInlines(inline.children, [...marks, "~"]);
    case "link":
      return linked(inline.url, inlineText(inline.children), marks);
  }
}

function linked(address: string, label: string, marks: readonly Mark[]): string[] {
  const url = webAddress(address);
  if (url === null) return wrapped(label, marks);
  const target = mrkdwnText(url);
  if (target.length <= PIECE && (label.trim() === "" || label === address)) return [`<${target}>`];
  const shown = mrkdwnText(plainLine(label)).replaceAll("|", "\u00a6");
  const whole = `<${target}|${shown}>`;
  if (target.length > PIECE) return wrapped(label, marks);
  if (labelLies(label, url) || whole.length > PIECE) return [...wrapped(`${label} (`, marks), `<${target}>`, ")"];
  return marked([whole], marks);
}

/** Every line in its own marks: Slack's marks do not reach over line ends. */
function wrapped(text: string, marks: readonly Mark[]): string[] {
  if (marks.length === 0) return [...escapedParts(text, PIECE)];
  return plainText(text)
    .split("\n")
    .flatMap((line, index) => {
      const own = marked(escapedParts(line, PIECE), marks);
      return index === 0 ? own : ["\n", ...own];
    });
}

function marked(all: readonly string[], marks: readonly Mark[]): string[] {
  const own = [...new Set(marks)];
  const before = own.join("");
  const after = own.reverse().join("");
  return all.map((piece) => (piece.trim() === "" ? piece : `${before}${piece}${after}`));
}
