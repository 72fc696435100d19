// Reads a raw commit object as a Revision.
import type { Revision, RevisionFlag } from "../../core/change.ts";
import type { GitObject } from "./objects.ts";

/** Digits of a commit id that people read. */
const DISPLAY_DIGITS = 10;

/** @param shallow the commits whose parents are recorded but not there. */
export function readCommit(object: GitObject, shallow: ReadonlySet<string>): Revision {
  // Header lines are ASCII but for names; the encoding header rules the names and the message.
  const split = object.bytes.indexOf("\n\n");
  const head = split < 0 ? object.bytes : object.bytes.subarray(0, split);
  const encoding = /^encoding (.+)$/m.exec(head.toString("latin1"))?.[1] ?? "utf-8";
  const header = decode(head, encoding);
  const message = split < 0 ? "" : decode(object.bytes.subarray(split + 2), encoding);

  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] as string);
  const author = /^author (.*?) ?<([^>\n]*)> ?(-?\d+)?/m.exec(header);
  const committer = /^committer .*> (-?\d+)/m.exec(header);
  const email = author?.[2]?.trim();
  const flags: RevisionFlag[] = [];
  if (parents.length > 1) flags.push("merge");
  if (parents.length === 0) flags.push("root");
  if (shallow.has(object.id)) flags.push("shallow");
  return {
    vcs: "git",
    canonical: object.id,
    display: object.id.slice(0, DISPLAY_DIGITS),
    author: author?.[1]?.trim() || email || "unknown",
    ...(email && { authorEmail: email }),
    time: Number(committer?.[1] ?? author?.[3] ?? 0) * 1000,
    message: message.replace(/\n+$/, ""),
    parents,
    flags,
  };
}

function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
