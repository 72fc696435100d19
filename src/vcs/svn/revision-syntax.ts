// Reads what a person typed as a revision: digits only, applied before svn sees anything.
import type { Subject } from "../git/faults.ts";
import { badRevision } from "./faults.ts";

export type Spec =
  /** Nothing typed: the newest change below the configured URL. */
  | { readonly kind: "newest" }
  | { readonly kind: "revision"; readonly number: number }
  /** What changed after `from`, up to and with `to`; `from` is the smaller number. */
  | { readonly kind: "range"; readonly from: number; readonly to: number };

/** svn counts revisions in a signed 32-bit number on some machines. */
const MAX_REVISION = 2_147_483_647;

/** Throws AppError `bad_request` for anything that is not certainly a revision. */
export function parseSpec(spec: string, repository: string): Spec {
  const text = spec.trim();
  const subject = { repository, rev: text };
  if (text === "") return { kind: "newest" };
  const match = /^r?(\d+)(?::r?(\d+))?$/.exec(text);
  if (match === null) throw badRevision(subject, "revisions of Subversion are numbers");
  const [first, second] = [numberOf(match[1] as string, subject), match[2]];
  if (second === undefined) return { kind: "revision", number: first };
  const to = numberOf(second, subject);
  if (to <= first) throw badRevision(subject, "a range goes from the older revision to the newer one");
  return { kind: "range", from: first, to };
}

/** The number of a canonical name. Throws `bad_request` for anything but digits. */
export function requireNumber(text: string, repository: string): number {
  const subject: Subject = { repository, rev: text };
  if (!/^\d+$/.test(text)) throw badRevision(subject, "a revision number is needed here");
  return numberOf(text, subject);
}

function numberOf(digits: string, subject: Subject): number {
  const number = Number(digits);
  if (digits.length > 10 || number > MAX_REVISION) throw badRevision(subject, "the number is too large");
  return number;
}
