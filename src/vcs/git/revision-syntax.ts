// Reads what a person typed as a revision: a strict allow-list, applied before git sees anything.
import type { AppError } from "../../core/errors.ts";
import { badRevision, foreignUrl, type Subject } from "./faults.ts";
import { type WebAddress, webAddress } from "./source.ts";

/** One end of a change: a name, and steps back from it (`~2`, `^`). */
export interface Point {
  readonly name: string;
  readonly steps: string;
}

export type Spec =
  /** Nothing typed: the newest change of the default branch. */
  | { readonly kind: "newest" }
  | { readonly kind: "point"; readonly point: Point }
  | { readonly kind: "range"; readonly from: Point; readonly to: Point }
  /** The number of a pull or merge request. */
  | { readonly kind: "review"; readonly number: number };

/** git itself refuses ref names beyond a file name's length per component; nobody types more. */
const MAX_LENGTH = 512;
/** Letters of any script, and the marks that occur in ref names; none that git, a shell or a terminal gives a meaning to. */
const NAME = /^[\p{L}\p{M}\p{N}_./+#@=%,!-]+$/u;
const STEPS = /(?:~\d{0,5}|\^\d{0,2})+$/;

/** Throws AppError `bad_request` for anything that is not certainly a revision. */
export function parseSpec(spec: string, repository: string, web: WebAddress | null): Spec {
  const text = spec.trim();
  const subject = { repository, rev: text };
  if (text === "") return { kind: "newest" };
  if (text.length > MAX_LENGTH) throw badRevision(subject, `it is longer than ${MAX_LENGTH} characters`);
  if (/^https?:\/\//i.test(text)) return parseUrl(text, subject, web);
  const review = /^[#!](\d{1,9})$/.exec(text)?.[1];
  if (review !== undefined) return { kind: "review", number: Number(review) };

  const ends = text.split(/\.{2,3}/);
  if (ends.length > 2) throw badRevision(subject, "it has more than one range operator");
  const [from = "", to] = ends.map((end) => parsePoint(end, subject));
  if (from === "") throw badRevision(subject, "it is empty");
  return to === undefined ? { kind: "point", point: from } : { kind: "range", from, to };
}

function parsePoint(text: string, subject: Subject): Point {
  const steps = STEPS.exec(text)?.[0] ?? "";
  const name = text.slice(0, text.length - steps.length);
  const why = faultOf(name);
  if (why !== null) throw badRevision(subject, why);
  return { name, steps };
}

function faultOf(name: string): string | null {
  if (name === "") return "a range needs a revision on both sides";
  if (name.startsWith("-")) return "it begins with a hyphen";
  if (name === "@" || name.includes("@{")) return "@ notation is not supported";
  if (!NAME.test(name)) return "it holds characters that revisions do not have";
  if (/^[/.]|[/.]$|\/[/.]|\.lock(\/|$)/.test(name)) return "it is not a well-formed name";
  return null;
}

/** Commit, comparison, pull and merge request pages of the usual hosts. */
const PAGES: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^(?:-\/)?commits?\/([0-9a-f]{7,64})(?:\/.*)?$/, (match) => match[1] as string],
  [/^(?:-\/)?compare\/([^/]+\.{2,3}[^/]+)$/, (match) => match[1] as string],
  [/^(?:pull|pulls|pull-requests)\/(\d{1,9})(?:\/.*)?$/, (match) => `#${match[1]}`],
  [/^(?:-\/)?merge_requests\/(\d{1,9})(?:\/.*)?$/, (match) => `!${match[1]}`],
];

function parseUrl(text: string, subject: Subject, web: WebAddress | null): Spec {
  const address = webAddress(text);
  if (web === null || address === null || address.host !== web.host) throw foreignUrl(subject);
  const prefix = `${web.path}/`;
  if (!address.path.toLowerCase().startsWith(prefix.toLowerCase())) throw foreignUrl(subject);
  const page = address.path.slice(prefix.length);
  for (const [pattern, spec] of PAGES) {
    const match = pattern.exec(page);
    // Nothing that comes out of a page is a link again, so this recurses once.
    if (match !== null) return parseSpec(spec(match), subject.repository, null);
  }
  throw foreignUrl(subject);
}

/** A full object id, which is never looked up as a name. */
export function isFullId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** The all-zero id by which feeds say "nothing". */
export function isZeroId(text: string): boolean {
  return /^(?:0{40}|0{64})$/.test(text);
}

/** The id as given to git. Throws `bad_request` for anything but a full id. */
export function requireFullId(text: string, repository: string): string {
  if (!isFullId(text)) throw badId(text, repository);
  return text;
}

function badId(rev: string, repository: string): AppError {
  return badRevision({ repository, rev }, "a full commit id is needed here");
}
