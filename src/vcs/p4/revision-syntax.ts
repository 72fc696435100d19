// Reads what a person or a feed typed as a changelist: digits only, so that no label, client or date is ever looked up.
import type { Subject } from "../git/faults.ts";
import { badChangelist } from "./faults.ts";

export type Spec =
  /** Nothing typed: the newest submitted change. */
  | { readonly kind: "newest" }
  | { readonly kind: "submitted"; readonly number: number }
  | { readonly kind: "shelf"; readonly number: number };

/** A revision by its canonical name: `12345`, or `=12345` for a shelf. */
export type Point = Exclude<Spec, { readonly kind: "newest" }>;

/** Perforce counts in 32 bits. */
const MAX_CHANGE = 2 ** 31 - 1;

/** Throws AppError `bad_request`. */
export function parseSpec(spec: string, subject: Subject): Spec {
  const text = spec.trim();
  if (text === "") return { kind: "newest" };
  const match = /^(@?)(=?)(\d{1,10})$/.exec(text);
  const number = Number(match?.[3]);
  if (match === null) throw badChangelist({ ...subject, rev: text }, "it is not a number");
  if (number < 1 || number > MAX_CHANGE) throw badChangelist({ ...subject, rev: text }, "there is no such number");
  return { kind: match[2] === "=" ? "shelf" : "submitted", number };
}

/** The revision that a canonical name means. Throws AppError `bad_request`. */
export function readPoint(canonical: string, subject: Subject): Point {
  const spec = /^=?\d+$/.test(canonical) ? parseSpec(canonical, subject) : null;
  if (spec === null || spec.kind === "newest") {
    throw badChangelist({ ...subject, rev: canonical }, "a changelist number is needed here");
  }
  return spec;
}

export function canonicalOf(point: Point): string {
  return point.kind === "shelf" ? `=${point.number}` : String(point.number);
}
