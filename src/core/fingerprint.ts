// Gives problems an identity that outlives line shifts, re-indentation, rewording and renames (CONTRACT §C).
import { hash } from "node:crypto";
import type { Problem } from "./problem.ts";

/** A problem and what is needed to recognise it later. */
export interface Subject {
  readonly problem: Pick<Problem, "file" | "line" | "category" | "message" | "fingerprint">;
  /** The new side of the file, line by line; null where the problem is not anchored. */
  readonly lines: readonly string[] | null;
  /** The file's earlier path, when the change renamed it. */
  readonly oldFile?: string;
}

export interface Identity {
  /** 32 hex digits: of the anchored line and the one that follows. */
  readonly fingerprint: string;
  /** All names of it, `fingerprint` first: also by the line before, by earlier paths, and the agent's own, scoped. */
  readonly keys: readonly string[];
  /** Digest of the anchored line; empty where the problem is not anchored. */
  readonly anchorDigest: string;
}

const hexDigits = 32;
/** Raised when the recipe changes, so that old and new digests never meet by chance. */
const recipe = "1";

/**
 * The identities of all problems of one report, in their order.
 *
 * The fingerprint takes the anchored line with its next non-blank neighbour, so that nothing inserted above touches it,
 * and a second key takes the neighbour before, for edits below. Identical anchors elsewhere in the file are told apart
 * by their ordinal from the top, different messages on one anchor by a second ordinal.
 */
export function identify(repository: string, subjects: readonly Subject[]): readonly Identity[] {
  const files = new Map<readonly string[], NormalFile>();
  for (const { lines, problem } of subjects) {
    if (lines === null) continue;
    const file = files.get(lines) ?? createNormalFile(lines);
    files.set(lines, file);
    file.want(problem.line);
  }
  const anchors = subjects.map(({ lines, problem }) =>
    lines === null ? null : (files.get(lines)?.anchor(problem.line) ?? null),
  );
  const ordinals = messageOrdinals(subjects, anchors);
  return subjects.map((subject, index) => nameIt(repository, subject, anchors[index] ?? null, ordinals[index] ?? 0));
}

function nameIt(repository: string, subject: Subject, anchor: Anchor | null, ordinal: number): Identity {
  const { file, category, message, fingerprint: own } = subject.problem;
  const paths = subject.oldFile === undefined || subject.oldFile === file ? [file] : [file, subject.oldFile];
  const keys = new Set<string>();
  for (const path of paths) {
    const scope = [recipe, repository, path];
    if (anchor === null) keys.add(digest("said", ...scope, category, normaliseMessage(message), ordinal));
    else {
      keys.add(digest("next", ...scope, category, anchor.text, anchor.next, anchor.nextOrdinal, ordinal));
      keys.add(digest("previous", ...scope, category, anchor.previous, anchor.text, anchor.previousOrdinal, ordinal));
    }
    if (own !== undefined) keys.add(digest("agent", ...scope, own));
  }
  const [fingerprint = ""] = keys;
  return { fingerprint, keys: [...keys], anchorDigest: anchor === null ? "" : anchorDigest(anchor.mark) };
}

/** Numbers the different messages of one category on one anchor, independently of the order of reporting. */
function messageOrdinals(subjects: readonly Subject[], anchors: readonly (Anchor | null)[]): readonly number[] {
  const groups = new Map<string, Set<string>>();
  const names = subjects.map(({ problem }, index) => {
    const anchor = anchors[index] ?? null;
    const place = anchor === null ? `?${normaliseMessage(problem.message)}` : `${anchor.line}`;
    return `${problem.file}\0${problem.category}\0${place}`;
  });
  for (const [index, name] of names.entries()) {
    const group = groups.get(name) ?? new Set();
    group.add(normaliseLine(subjects[index]?.problem.message ?? ""));
    groups.set(name, group);
  }
  const sorted = new Map([...groups].map(([name, messages]) => [name, messages.size < 2 ? [] : [...messages].sort()]));
  return names.map((name, index) => {
    const messages = sorted.get(name) ?? [];
    return messages.length === 0 ? 0 : messages.indexOf(normaliseLine(subjects[index]?.problem.message ?? ""));
  });
}

/** Digest of a line's text, whatever its indentation. It begins with the text's length, by which searches are quick. */
export function anchorDigest(text: string): string {
  const normal = normaliseLine(text);
  return `${normal.length.toString(36)}.${digest("anchor", recipe, normal)}`;
}

/** Whether the text behind a digest stands anywhere in the file. */
export function containsAnchor(lines: readonly string[], wanted: string): boolean {
  return anchorLines(lines, wanted).length > 0;
}

/** The lines, 1-based, on which the text behind a digest stands. */
export function anchorLines(lines: readonly string[], wanted: string): readonly number[] {
  const length = Number.parseInt(wanted, 36);
  const found: number[] = [];
  if (Number.isNaN(length)) return found;
  let previous = "";
  for (const [index, raw] of lines.entries()) {
    const line = normaliseLine(raw);
    if (line === "") continue;
    const mark = markOf(previous, line);
    if (mark.length === length && anchorDigest(mark) === wanted) found.push(index + 1);
    previous = line;
  }
  return found;
}

/** A line of brackets alone says nothing of itself: the line before it, which it closes, is taken along. */
function markOf(previous: string, line: string): string {
  return /[\p{L}\p{N}]/u.test(line) || previous === "" ? line : `${previous} ${line}`;
}

interface Anchor {
  /** 1-based; the next line with text when the anchored one is blank. */
  readonly line: number;
  readonly text: string;
  /** The nearest non-blank neighbours, empty at the file's ends. */
  readonly next: string;
  readonly previous: string;
  /** How many times the same text with the same neighbour stands above. */
  readonly nextOrdinal: number;
  readonly previousOrdinal: number;
  readonly mark: string;
}

interface NormalFile {
  /** Announces a line, so that one walk over the file serves all problems in it. */
  want(line: number): void;
  /** Null for a line behind the end, or a file of blank lines. */
  anchor(line: number): Anchor | null;
}

interface Ordinals {
  readonly next: number;
  readonly previous: number;
}

function createNormalFile(lines: readonly string[]): NormalFile {
  /** The lines with text, and where they stand, counted from 1. */
  const texts: string[] = [];
  const numbers: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const text = normaliseLine(lines[i] ?? "");
    if (text === "") continue;
    texts.push(text);
    numbers.push(i + 1);
  }
  const wanted = new Set<string>();
  let ordinals: ReadonlyMap<number, Ordinals> | null = null;

  /** Index of the first line with text at or behind `line`, or of the last one. */
  function slotOf(line: number): number {
    if (line < 1 || line > lines.length) return -1;
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, numbers.length - 1);
  }

  return {
    want(line) {
      const text = texts[slotOf(line)];
      if (text !== undefined) wanted.add(text);
    },
    anchor(line) {
      const slot = slotOf(line);
      const text = texts[slot];
      if (text === undefined) return null;
      ordinals ??= countTwins(texts, wanted);
      const previous = texts[slot - 1] ?? "";
      return {
        line: numbers[slot] ?? 0,
        text,
        next: texts[slot + 1] ?? "",
        previous,
        nextOrdinal: ordinals.get(slot)?.next ?? 0,
        previousOrdinal: ordinals.get(slot)?.previous ?? 0,
        mark: markOf(previous, text),
      };
    },
  };
}

/** For each wanted text: how many times it stands above with the same neighbour. */
function countTwins(texts: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<number, Ordinals> {
  const lengths = new Set<number>();
  const counts = new Map<string, { readonly next: Map<string, number>; readonly previous: Map<string, number> }>();
  for (const text of wanted) {
    lengths.add(text.length);
    counts.set(text, { next: new Map(), previous: new Map() });
  }
  const ordinals = new Map<number, Ordinals>();
  for (let slot = 0; slot < texts.length; slot++) {
    const text = texts[slot] ?? "";
    const seen = lengths.has(text.length) ? counts.get(text) : undefined;
    if (seen === undefined) continue;
    ordinals.set(slot, {
      next: bump(seen.next, texts[slot + 1] ?? ""),
      previous: bump(seen.previous, texts[slot - 1] ?? ""),
    });
  }
  return ordinals;
}

/** Counts a neighbour; gives how often it was seen before. */
function bump(counts: Map<string, number>, neighbour: string): number {
  const count = counts.get(neighbour) ?? 0;
  counts.set(neighbour, count + 1);
  return count;
}

/** Without indentation, with single spaces; a whole file passes through here. */
function normaliseLine(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes("\t") || trimmed.includes("  ") ? trimmed.replace(/[ \t]+/g, " ") : trimmed;
}

/** Of a message that stands for itself: letters and digits alone, and no numbers, which move with the code. */
function normaliseMessage(message: string): string {
  return message
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{N}+/gu, "#")
    .replace(/[^\p{L}\p{M}#]+/gu, " ")
    .trim();
}

function digest(...parts: readonly (string | number)[]): string {
  return hash("sha256", parts.join("\0"), "hex").slice(0, hexDigits);
}
