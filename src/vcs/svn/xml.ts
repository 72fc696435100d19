// Reads svn's XML record by record: exact text and attributes in whatever order, strict about everything else.
import { SaxesParser } from "saxes";
import { AppError } from "../../core/errors.ts";
import type { Subject } from "../git/faults.ts";
import { damaged } from "./faults.ts";

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** All character data directly inside, white space kept. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: XmlElement[];
}

/** Bytes given to the parser at once, so that a large output is never held as one string. */
const CHUNK_BYTES = 1 << 20;

/**
 * Calls `take` with every element of that name, its children in it.
 * Throws AppError `corrupt` about the subject for XML that is not well-formed: a server or a proxy answered something else.
 */
export function eachElement(xml: Buffer, name: string, subject: Subject, take: (element: XmlElement) => void): void {
  try {
    parse(xml, name, take);
  } catch (error) {
    throw error instanceof AppError ? error : damaged(subject, `the XML of svn: ${String(error)}`);
  }
}

function parse(xml: Buffer, name: string, take: (element: XmlElement) => void): void {
  const open: OpenElement[] = [];
  const parser = new SaxesParser({ position: false });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    if (open.length === 0 && tag.name !== name) return;
    open.push({ name: tag.name, attributes: tag.attributes as Record<string, string>, text: "", children: [] });
  });
  parser.on("text", (text) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += text;
  });
  parser.on("closetag", () => {
    const closed = open.pop();
    if (closed === undefined) return;
    const parent = open.at(-1);
    if (parent === undefined) take(closed);
    else parent.children.push(closed);
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at < xml.length; at += CHUNK_BYTES) {
    parser.write(decoder.decode(xml.subarray(at, at + CHUNK_BYTES), { stream: true }));
  }
  parser.write(decoder.decode()).close();
}

export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}
