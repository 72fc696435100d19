// Reads `svn log --xml -v`: revisions with their authors, messages and changed paths.

import type { Revision } from "../../core/change.ts";
import { AppError } from "../../core/errors.ts";
import { type Subject, tooLarge } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { damaged } from "./faults.ts";
import type { Location } from "./location.ts";
import type { Svn } from "./run-svn.ts";
import { target } from "./source.ts";
import { childOf, eachElement, type XmlElement } from "./xml.ts";

export interface LoggedPath {
  /** Added, modified, deleted, replaced. */
  readonly action: "A" | "M" | "D" | "R";
  /** Empty where an old server does not tell. */
  readonly kind: "file" | "dir" | "";
  /** From the repository's root, with a slash at its beginning. */
  readonly path: string;
  readonly copyFrom?: { readonly path: string; readonly revision: number };
  /** True where the server does not tell. */
  readonly textMods: boolean;
  readonly propMods: boolean;
}

export interface LogEntry {
  readonly number: number;
  readonly author?: string;
  /** ms since the epoch. */
  readonly time?: number;
  readonly message: string;
  readonly paths: readonly LoggedPath[];
}

/** Which revisions: `r1:r2`, or some single ones. */
export type Revisions = readonly number[] | { readonly from: number; readonly to: number };

/**
 * The entries in the order asked for; null when a revision does not exist. The whole repository's log is read, whatever later
 * became of the configured folder; where only that folder may be read, its own log must do, and lacks other revisions.
 */
export async function readLog(
  svn: Svn,
  location: Location,
  revisions: Revisions,
  budget: Budget,
  maxBytes?: number,
): Promise<readonly LogEntry[] | null> {
  const numbers = "from" in revisions ? [revisions.from, revisions.to] : revisions;
  const peg = Math.max(...numbers);
  const args = "from" in revisions ? ["-r", `${revisions.from}:${revisions.to}`] : ["-c", revisions.join(",")];
  const run = { budget, ...(maxBytes !== undefined && { maxBytes }) };
  const read = (url: string) => svn.attempt("log", ["--xml", "-v", ...args], [target(url, "", peg)], run);
  const result = await read(location.root).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "auth" && location.path !== "") return read(location.url);
    throw error;
  });
  if (result.outcome === "no_revision" || result.outcome === "no_path") return null;
  if (result.outcome === "cut") throw tooLarge(svn.subject);
  if (result.outcome !== "ok") throw damaged(svn.subject, `svn log: ${result.outcome}`);
  return parseLog(result.stdout, svn.subject);
}

export function parseLog(xml: Buffer, subject: Subject): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  eachElement(xml, "logentry", subject, (element) => entries.push(entryOf(element)));
  return entries;
}

function entryOf(element: XmlElement): LogEntry {
  const author = childOf(element, "author")?.text;
  const time = Date.parse(childOf(element, "date")?.text ?? "");
  return {
    number: Number(element.attributes["revision"]),
    ...(author !== undefined && { author }),
    ...(Number.isFinite(time) && { time }),
    message: childOf(element, "msg")?.text ?? "",
    paths: (childOf(element, "paths")?.children ?? []).map(pathOf),
  };
}

function pathOf({ attributes, text }: XmlElement): LoggedPath {
  const { action, kind } = attributes;
  const from = attributes["copyfrom-path"];
  return {
    action: action === "A" || action === "D" || action === "R" ? action : "M",
    kind: kind === "file" || kind === "dir" ? kind : "",
    path: text,
    ...(from !== undefined && { copyFrom: { path: from, revision: Number(attributes["copyfrom-rev"]) } }),
    textMods: attributes["text-mods"] !== "false",
    propMods: attributes["prop-mods"] !== "false",
  };
}

/** @param entry undefined where the server hides the revision. */
export function revisionOf(number: number, entry: LogEntry | undefined): Revision {
  const isHidden = entry === undefined || (entry.time === undefined && entry.paths.length === 0);
  return {
    vcs: "svn",
    canonical: String(number),
    display: `r${number}`,
    author: entry?.author || "unknown",
    time: entry?.time ?? 0,
    message: entry?.message ?? "",
    parents: number > 1 ? [String(number - 1)] : [],
    flags: [...(number === 1 ? (["root"] as const) : []), ...(isHidden ? (["restricted"] as const) : [])],
  };
}
