// Shows code: numbered excerpts with the lines in question marked, and diffs coloured by their signs.
import { element } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {{first: number, last: number} | undefined} MarkedLines */

/**
 * @param {string} code
 * @param {string | undefined} codeLanguage
 * @param {MarkedLines} marked lines of an excerpt that the message is about
 */
export function codeView(code, codeLanguage, marked) {
  const isDiff = codeLanguage === "diff" || codeLanguage === "patch";
  const lines = code.replace(/\n$/, "").split("\n");
  const numbered = isDiff ? undefined : numberedLines(lines);
  const rows =
    numbered === undefined
      ? lines.map((line) => plainRow(line, isDiff))
      : numbered.map((row) => numberedRow(row, marked));
  const body = element("code", { class: "lines" }, ...rows);
  const last = numbered?.at(-1);
  if (last !== undefined) body.style.setProperty("--digits", `${String(last.number).length}ch`);
  const label = isDiff ? "diff" : "code";
  // A region that may scroll sideways must be reachable by keyboard.
  const block = element("pre", { tabindex: "0", role: "group", "aria-label": text(label), "data-label": label }, body);
  return element("div", { class: "code", dir: "ltr", translate: "no" }, block);
}

/**
 * The lines of an excerpt whose text begins with its own line numbers; undefined if it is plain code.
 * @param {readonly string[]} lines
 */
function numberedLines(lines) {
  /** @type {{number: number, text: string}[]} */
  const rows = [];
  for (const line of lines) {
    const match = /^ *(\d+)(?: {2}(.*))?$/.exec(line);
    if (match === null) return undefined;
    const number = Number(match[1]);
    const previous = rows.at(-1);
    if (previous !== undefined && number !== previous.number + 1) return undefined;
    rows.push({ number, text: match[2] ?? "" });
  }
  return rows;
}

/**
 * @param {{number: number, text: string}} row
 * @param {MarkedLines} marked
 */
function numberedRow({ number, text: line }, marked) {
  const isMarked = marked !== undefined && number >= marked.first && number <= marked.last;
  return element("span", { class: isMarked ? "line marked" : "line", "data-number": String(number) }, `${line}\n`);
}

/**
 * @param {string} line
 * @param {boolean} isDiff
 */
function plainRow(line, isDiff) {
  const kind = !isDiff
    ? ""
    : line.startsWith("+")
      ? " added"
      : line.startsWith("-")
        ? " removed"
        : line.startsWith("@@")
          ? " hunk"
          : "";
  return element("span", { class: `line${kind}` }, `${line}\n`);
}
