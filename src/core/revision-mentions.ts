// Finds the revisions that a message of a person names: commits, changelists, pull requests and the addresses of their pages.

export interface RevisionMention {
  /** What somebody would type as a revision: a sha, a range, `r123`, `@123`, `#12`, `!12` or an address. */
  readonly spec: string;
  /** The project that stands with it, such as `acme/game` of an address or of `acme/game#12`. */
  readonly project?: string;
}

/** Longest message that is read, UTF-16 units; what comes after is not looked at. */
const MAX_TEXT = 40_000;

/** The page of a commit, a comparison, a pull or a merge request behind a project's address. */
const page =
  /^(?<project>.+?)\/(?:-\/)?(?:commits?\/[0-9a-f]{7,64}|compare\/[^/]+\.{2,3}[^/]+|(?:pull|pulls|pull-requests|merge_requests)\/\d{1,9})(?:\/|$)/i;

/** An address of the Web, as far as it may go. */
const address = String.raw`(?<url>https?:\/\/[^\s<>"'\x60|\\]{1,2000})`;

const word = [
  String.raw`(?<named>[\w.\-]{1,100}\/[\w.\-]{1,100})(?<number>[#!]\d{1,9})`,
  String.raw`(?<review>[#!]\d{1,9})`,
  String.raw`(?<changelist>@=?\d{1,10})`,
  String.raw`(?<revision>r\d{1,9}(?::r\d{1,9})?)`,
  String.raw`(?<range>[0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64})`,
  "(?<sha>[0-9a-f]{7,64})",
].join("|");

/** An address comes first, because what stands within one is no mention of its own. */
const mention = new RegExp(
  String.raw`${address}|(?<![\p{L}\p{N}_\/@#!.:+\-])(?:${word})(?![\p{L}\p{N}_\/@#!\-]|[.:]\p{N})`,
  "gu",
);

/**
 * In the order of the text, each once. A short word of hexadecimal digits counts only when it has a letter and a digit:
 * neither `defaced` nor a telephone number is a commit.
 * @param limit most mentions that are returned, ≥ 1.
 */
export function findRevisions(text: string, limit = 10): readonly RevisionMention[] {
  const found = new Map<string, RevisionMention>();
  for (const { groups = {} } of text.slice(0, MAX_TEXT).matchAll(mention)) {
    const one = fromGroups(groups);
    if (one !== null && !found.has(one.spec)) found.set(one.spec, one);
    if (found.size >= limit) break;
  }
  return [...found.values()];
}

function fromGroups(groups: Readonly<Record<string, string | undefined>>): RevisionMention | null {
  const { url, named, number, review, changelist, revision, range, sha } = groups;
  if (url !== undefined) return fromUrl(url);
  if (named !== undefined && number !== undefined) return { spec: number, project: named };
  if (sha !== undefined) return isCommit(sha) ? { spec: sha } : null;
  const spec = review ?? changelist ?? revision ?? range;
  return spec === undefined ? null : { spec };
}

function fromUrl(typed: string): RevisionMention | null {
  // What ends a sentence or closes a bracket does not belong to the address.
  const url = typed.replace(/[.,;:!?)\]}*_~]{1,20}$/u, "");
  const path = /^https?:\/\/[^/]+\/([^?#]*)/i.exec(url)?.[1] ?? "";
  const project = page.exec(path)?.groups?.["project"];
  return project === undefined ? null : { spec: url.replace(/[?#].*$/u, ""), project };
}

/** A full id needs no proof; a shorter one looks like a hash. */
function isCommit(hex: string): boolean {
  return hex.length === 40 || hex.length === 64 || (/[a-f]/.test(hex) && /\d/.test(hex));
}

/**
 * The repository that a message is about, among those that may be seen where it stands: the one whose name ends the project
 * of a mention, the only one whose alias the message has as a word, or the only one there is. Null when it is not clear.
 */
export function repositoryMeant(
  text: string,
  { spec, project }: RevisionMention,
  aliases: readonly string[],
): string | null {
  if (project !== undefined) {
    const name = (project.split("/").at(-1) ?? "").replace(/\.git$/i, "").toLowerCase();
    const named = aliases.filter((alias) => alias.toLowerCase() === name);
    if (named.length === 1) return named[0] ?? null;
    // An address is held against the repository's own when it is reviewed; a bare number is not.
    if (!spec.includes("/")) return null;
  }
  if (aliases.length === 1) return aliases[0] ?? null;
  const words = new Set(
    text
      .slice(0, MAX_TEXT)
      .toLowerCase()
      .split(/[^\p{L}\p{N}._-]+/u)
      .flatMap((word) => [word, word.replace(/[.]+$/u, "")]),
  );
  const spoken = aliases.filter((alias) => words.has(alias.toLowerCase()));
  return spoken.length === 1 ? (spoken[0] ?? null) : null;
}
