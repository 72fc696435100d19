// Reads `//depot/path@N` as p4 does: the first @ or # begins a revision, `*` and `...` are wildcards, %XX are characters.
import { type FakeDepot, type FakeFile, histories, isDeleted, type Revision } from "./depot.ts";
import { failure, type Message, warning } from "./output.ts";

export type RevisionSpec =
  | { readonly kind: "head" }
  | { readonly kind: "asOf"; readonly change: number }
  | { readonly kind: "range"; readonly first: number; readonly last: number }
  | { readonly kind: "revision"; readonly revision: number }
  | { readonly kind: "shelf"; readonly change: number };

export interface FileSpec {
  readonly text: string;
  readonly path: string;
  readonly at: RevisionSpec;
}

export function readFileSpec(text: string): FileSpec | Message {
  const end = text.search(/[@#]/);
  const path = end < 0 ? text : text.slice(0, end);
  const at = readRevision(end < 0 ? "" : text.slice(end));
  if (at === null) return failure(`Invalid changelist/client/label/date '${text.slice(end)}'.`, 4);
  if (!/^\/\/[^/]+\/./.test(path)) return failure(`Path '${path}' is not under client's root.`, 1);
  if (/[^\x20-\x7e]/.test(path) && path.includes("\u{fffd}")) return failure("No Translation for parameter.", 36);
  return { text, path, at };
}

function readRevision(text: string): RevisionSpec | null {
  if (text === "") return { kind: "head" };
  const range = /^@(\d+),@?(\d+)$/.exec(text);
  if (range) return { kind: "range", first: Number(range[1]), last: Number(range[2]) };
  const match = /^(@=|@|#)(\d+)$/.exec(text);
  if (match === null) return null;
  const number = Number(match[2]);
  if (match[1] === "@=") return { kind: "shelf", change: number };
  return match[1] === "@" ? { kind: "asOf", change: number } : { kind: "revision", revision: number };
}

export function matches(pattern: string, path: string): boolean {
  const source = pattern.replace(/\.\.\.|\*|[\\^$+?.()|[\]{}]/g, (part) =>
    part === "..." ? ".*" : part === "*" ? "[^/]*" : `\\${part}`,
  );
  return new RegExp(`^${source}$`).test(path);
}

/** The revisions that a specification selects, or the server's word about it. */
export function select(depot: FakeDepot, spec: FileSpec): readonly Revision[] | Message {
  if (spec.at.kind === "shelf") return shelved(depot, spec, spec.at.change);
  const named = [...histories(depot)].filter(([path]) => matches(spec.path, path));
  if (named.length === 0) return warning(`${spec.text} - no such file(s).`);
  const found = named.flatMap(([, revisions]) => revisions.filter((one) => isSelected(one, spec.at)).slice(-1));
  if (found.length === 0) {
    const what = spec.at.kind === "revision" ? "revision" : "changelist number";
    return warning(`${spec.text} - no file(s) at that ${what}.`);
  }
  if (found.some(({ file }) => file.protected)) return warning(`${spec.text} - protected namespace - access denied.`);
  return found;
}

/** Like `select`, for commands that need content. */
export function selectContent(depot: FakeDepot, spec: FileSpec): readonly Revision[] | Message {
  const found = select(depot, spec);
  if (!Array.isArray(found)) return found;
  const live = (found as readonly Revision[]).filter(({ file }) => !isDeleted(file));
  return live.length > 0 ? live : warning(`${spec.text} - no file(s) at that revision.`);
}

function shelved(depot: FakeDepot, spec: FileSpec, number: number): readonly Revision[] | Message {
  const change = depot.changes.find((one) => one.change === String(number) && one.status === "pending");
  const files = (change?.files ?? []).filter((file: FakeFile) => matches(spec.path, file.path));
  if (change === undefined || files.length === 0) return warning(`${spec.text} - no such file(s).`);
  return files.map((file) => ({ file, change }));
}

function isSelected({ file, change }: Revision, at: RevisionSpec): boolean {
  switch (at.kind) {
    case "asOf":
      return Number(change.change) <= at.change;
    case "range":
      return Number(change.change) >= at.first && Number(change.change) <= at.last;
    case "revision":
      return Number(file.rev) <= at.revision && Number(file.rev) >= at.revision;
    default:
      return true;
  }
}
