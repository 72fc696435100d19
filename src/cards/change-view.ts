// What the templates are told about the change that was reviewed.
import type { Change, ChangeFileName } from "../core/change.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import type { LinkBuilder } from "./links.ts";

/** Writes catalogue texts in one language. */
export type Say = (key: string, params?: Readonly<Record<string, string | number>>) => string;

export function sayIn(texts: Texts, locale: string): Say {
  return (key, params) => texts.text(key, locale, params);
}

export interface ChangeView {
  readonly repository: string;
  /** Branch or tag without its prefix; null while the change is not resolved. */
  readonly branch: string | null;
  /** Short name of the revision, or what was asked for. */
  readonly rev: string;
  readonly commitUrl: string | null;
  readonly subject: string;
  readonly author: string | null;
}

export function changeView(review: Review, links: LinkBuilder): ChangeView {
  const { change } = review;
  if (change === undefined) {
    return {
      repository: review.repository,
      branch: null,
      rev: review.spec,
      commitUrl: null,
      subject: "",
      author: null,
    };
  }
  return {
    repository: change.repository,
    branch: change.ref === "" ? null : change.ref.replace(/^refs\/(?:heads|tags|remotes)\//, ""),
    rev: change.head.display,
    commitUrl: links.commit(change.head),
    subject: change.head.message.trimStart().split("\n", 1)[0]?.trim() ?? "",
    author: change.head.author,
  };
}

export interface FileView {
  /** "added", "deleted", … in the reader's language. */
  readonly kind: string;
  readonly path: string;
  readonly oldPath: string | null;
  readonly url: string | null;
}

export interface FilesView {
  /** "5 files, 1 deleted"; null when the list is not known. */
  readonly count: string | null;
  readonly shown: readonly FileView[];
  /** "and 12 more files"; null when all are shown. */
  readonly more: string | null;
}

/** Files a card lists by name. */
const LISTED_FILES = 12;

/** Deleted files are listed like all others. */
export function filesView(
  change: Change | undefined,
  files: readonly ChangeFileName[] | undefined,
  links: LinkBuilder,
  say: Say,
): FilesView {
  if (change === undefined || files === undefined || files.length === 0) return { count: null, shown: [], more: null };
  const total = Math.max(files.length, change.fileCount ?? 0);
  const deleted = files.filter((file) => file.kind === "delete").length;
  const counts = [
    say("report.files", { n: total }),
    ...(deleted === 0 ? [] : [say("report.files.deleted", { n: deleted })]),
  ];
  const left = total - Math.min(files.length, LISTED_FILES);
  return {
    count: counts.join(say("list.separator")),
    shown: files.slice(0, LISTED_FILES).map((file) => ({
      kind: say(`file.${file.kind}`),
      path: file.path,
      oldPath: file.oldPath ?? null,
      url: file.kind === "delete" ? null : links.file(file.path, change.head),
    })),
    more: left > 0 ? say("report.more_files", { n: left }) : null,
  };
}
