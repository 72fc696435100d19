// Says what is wrong with a configuration file: every mistake with its line and column, and what would be right.
import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";
import type { z } from "zod";
import { nearestWord } from "../core/command.ts";

export type ConfigPath = readonly PropertyKey[];

/** One thing to correct; `text` is a sentence or two without the place. */
export interface Mistake {
  readonly path: ConfigPath;
  /** Points at a key instead of its value. */
  readonly key?: string;
  readonly text: string;
}

/** `repositories[0].alias`, as people write it; the file itself is "the file". */
export function pathText(path: ConfigPath): string {
  let text = "";
  for (const part of path)
    text += typeof part === "number" ? `[${part}]` : text === "" ? String(part) : `.${String(part)}`;
  return text === "" ? "the file" : text;
}

/** The file's lines, each with the place of its mistake, in the order of the file. */
export function placeMistakes(
  label: string,
  mistakes: readonly Mistake[],
  document: Document,
  lines: LineCounter,
): readonly string[] {
  const placed = mistakes.map((mistake) => ({ text: mistake.text, ...placeOf(mistake, document, lines) }));
  placed.sort((a, b) => a.line - b.line || a.col - b.col);
  return placed.map(({ line, col, text }) => `${label}:${line}:${col} ${text}`);
}

function placeOf({ path, key }: Mistake, document: Document, lines: LineCounter): { line: number; col: number } {
  // What is missing has no place of its own: its parent's is the next best.
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (!isNode(node)) continue;
    const keyNode = key !== undefined && depth === path.length && isMap(node) ? findKey(node.items, key) : null;
    const offset = (keyNode ?? node).range?.[0] ?? 0;
    return lines.linePos(offset);
  }
  return { line: 1, col: 1 };
}

function findKey(
  items: readonly { readonly key: unknown }[],
  key: string,
): { range?: readonly number[] | null } | null {
  for (const item of items) if (isScalar(item.key) && String(item.key.value) === key) return item.key;
  return null;
}

type Issue = z.core.$ZodIssue;

/** Turns the schema's complaints into mistakes. @param known gives the keys that a map at a path may have. */
export function mistakesOf(
  issues: readonly Issue[],
  raw: unknown,
  known: (path: ConfigPath) => readonly string[],
): readonly Mistake[] {
  return issues.flatMap((issue): readonly Mistake[] => {
    const { path } = issue;
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path, key, text: unknownKey(path, key, known(path)) }));
    }
    return [{ path, text: `${pathText(path)} ${complaint(issue, valueAt(raw, path))}` }];
  });
}

function unknownKey(path: ConfigPath, key: string, known: readonly string[]): string {
  const name = `${pathText([...path, key])} is not a setting.`;
  if (/password|token|secret/i.test(key)) {
    const byName = known.find((candidate) => candidate.endsWith("_env"));
    if (byName !== undefined) return `${name} Secrets stand in the environment: name the variable with ${byName}.`;
  }
  const near = nearestWord(key, known);
  return near === null ? `${name} Settings here are: ${known.join(", ")}.` : `${name} Did you mean ${near}?`;
}

function complaint(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return `is missing: give ${kindOf(issue.expected)}.`;
      return `must be ${kindOf(issue.expected)}, not ${shown(value)}.`;
    case "invalid_value": {
      const values = issue.values.map(String);
      const near = typeof value === "string" ? nearestWord(value, values) : null;
      if (value === undefined) return `is missing: give ${oneOf(values)}.`;
      return `must be ${oneOf(values)}, not ${shown(value)}.${near === null ? "" : ` Did you mean ${near}?`}`;
    }
    case "too_small":
      return `must ${bound(issue.origin, "at least", issue.minimum)}.`;
    case "too_big":
      return `must ${bound(issue.origin, "at most", issue.maximum)}.`;
    case "invalid_union":
      return value === undefined ? "is missing." : `${issue.message}.`;
    default:
      return `${issue.message}${issue.message.endsWith(".") ? "" : "."}`;
  }
}

function bound(origin: string, word: string, limit: number | bigint): string {
  if (origin === "string") return limit === 1 ? "not be empty" : `have ${word} ${limit} characters`;
  return origin === "array" ? `have ${word} ${limit} entries` : `be ${word} ${limit}`;
}

function kindOf(expected: string): string {
  const kinds: Readonly<Record<string, string>> = {
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a group of settings",
  };
  return kinds[expected] ?? expected;
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `one of ${values.join(", ")}`;
}

/** A value as far as it helps; long ones may be secrets that were put in the wrong place. */
function shown(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a group of settings";
  return typeof value === "string" && value.length > 24 ? "this text" : JSON.stringify(value);
}

/** The raw value at a path; undefined where nothing is. */
export function valueAt(raw: unknown, path: ConfigPath): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return value;
}
