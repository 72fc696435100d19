// A short cut for the messages that agents mostly write: prose and inline code, without any other Markdown.
import type { Block, Inline } from "../core/card.ts";
import { joined } from "./inlines.ts";
import { visibleText } from "./visible-text.ts";

/**
 * Anything that could mean more than itself. Underscores inside words, brackets that open no link and a lone `<` do not.
 * The test may say no to plain prose (it is then parsed in full), but never yes to Markdown.
 */
const markup =
  /[*~\t\r\u0000]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\\[\n!-/:-@[-`{-~]|&[#A-Za-z]|<[A-Za-z/!?]|!\[|\]\(|\]:|\[\^|``/u;

/** A bare address reaches to the next white space, backticks included, so that what follows is no code. */
const addressBeforeCode = /(?:https?:\/\/|www\.)[^\s<]*`/i;

/** A line that starts a block of another kind, or continues one. */
const blockStart = /^(?:[ #>|:=+\-[]|\d{1,9}[.)](?:\s|$))/;

/** The blocks of prose, as the full parser would give them for untrusted Markdown; null when the text may hold more. */
export function readProse(markdown: string): readonly Block[] | null {
  if (markup.test(markdown) || addressBeforeCode.test(markdown)) return null;
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  for (const line of markdown.split("\n")) {
    if (line.trim() === "") {
      if (!close()) return null;
      continue;
    }
    if (blockStart.test(line)) return null;
    paragraph.push(line);
  }
  return close() ? blocks : null;

  function close(): boolean {
    if (paragraph.length === 0) return true;
    const children = readLines(paragraph);
    if (children === null) return false;
    if (children.length > 0) blocks.push({ kind: "text", children });
    paragraph = [];
    return true;
  }
}

function readLines(lines: readonly string[]): readonly Inline[] | null {
  const inlines: Inline[] = [];
  for (const [index, line] of lines.entries()) {
    const parts = trimmed(line).split("`");
    // A span of code that is not closed on its line is left to the full parser.
    if (parts.length % 2 === 0) return null;
    if (index > 0) inlines.push({ kind: "break" });
    for (const [place, part] of parts.entries()) {
      if (place % 2 === 0) inlines.push({ kind: "text", text: visibleText(part) });
      else inlines.push({ kind: "code", text: visibleText(unpadded(part)) });
    }
  }
  return joined(inlines);
}

/** Markdown strips spaces at the ends of a line, but keeps other white space. */
function trimmed(line: string): string {
  return line.replace(/^ +| +$/g, "");
}

/** One space at both ends of code is padding, unless there is nothing else. */
function unpadded(code: string): string {
  return code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "" ? code.slice(1, -1) : code;
}
