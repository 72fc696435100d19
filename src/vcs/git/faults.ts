// The faults of the git adapter: each says what is wrong with which revision or repository, and what a person can do.
import { AppError } from "../../core/errors.ts";

/** What a fault is about. Only names that are shown to people: an alias and what was typed, never a URL or a path. */
export interface Subject {
  readonly repository: string;
  readonly rev?: string;
}

function params(subject: Subject): Record<string, string> {
  return { repository: subject.repository, rev: shown(subject.rev ?? "") };
}

/** A revision as it may be repeated to people: one line, short, without control characters. */
function shown(rev: string): string {
  const line = rev.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{fffd}");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

export function badRevision(subject: Subject, why: string): AppError {
  return new AppError("bad_request", `"${shown(subject.rev ?? "")}" is not a revision: ${why}.`, {
    remedy: "Give a commit id, a branch, a tag, HEAD~1 or a range such as main..feature.",
    reason: "bad_revision",
    params: { ...params(subject), why },
  });
}

export function unknownRevision(subject: Subject): AppError {
  return new AppError("not_found", `There is no revision "${shown(subject.rev ?? "")}" in ${subject.repository}.`, {
    remedy: "Check the spelling and that it has been committed and pushed.",
    reason: "unknown_revision",
    params: params(subject),
  });
}

/** @param choices what to type instead, each of which is accepted. */
export function ambiguousRevision(subject: Subject, choices: readonly string[]): AppError {
  const instead = choices.length > 0 ? `Type ${choices.join(" or ")}.` : "Type more digits of the commit id.";
  return new AppError(
    "not_found",
    `"${shown(subject.rev ?? "")}" names more than one revision of ${subject.repository}.`,
    { remedy: instead, reason: "ambiguous_revision", params: { ...params(subject), choices: choices.join(", ") } },
  );
}

export function foreignUrl(subject: Subject): AppError {
  return new AppError("bad_request", `This link does not belong to the repository ${subject.repository}.`, {
    remedy: "Paste a commit, pull request or merge request link of this repository, or type the commit id.",
    reason: "foreign_url",
    params: params(subject),
  });
}

export function noCommonHistory(subject: Subject): AppError {
  return new AppError("not_found", `The two ends of "${shown(subject.rev ?? "")}" have no common history.`, {
    remedy: "Give a range whose ends grew from one commit, or review the newer end alone.",
    reason: "no_common_history",
    params: params(subject),
  });
}

export function shallowHistory(subject: Subject): AppError {
  return new AppError(
    "unsupported",
    `The history of ${subject.repository} is cut off at this commit, so what it changed cannot be told.`,
    {
      remedy: "Fetch more history (git fetch --unshallow, or a greater depth in CI) and review again.",
      reason: "shallow_history",
      params: params(subject),
    },
  );
}

export function emptyRepository(subject: Subject): AppError {
  return new AppError("not_found", `The repository ${subject.repository} has no commits to review yet.`, {
    remedy: "Commit something first.",
    reason: "empty_repository",
    params: params(subject),
  });
}

export function noDefaultBranch(subject: Subject): AppError {
  return new AppError("config", `The default branch of ${subject.repository} is not known.`, {
    remedy: "Set default_branch for this repository to a branch that exists.",
    reason: "no_default_branch",
    params: params(subject),
  });
}

export function notARepository(subject: Subject, detail: string): AppError {
  return new AppError("config", `There is no git repository where ${subject.repository} is configured.`, {
    remedy: "Check the path or URL of this repository in the configuration, and that the bot may read it.",
    reason: "not_a_repository",
    params: params(subject),
    detail,
  });
}

export function unsupportedStorage(subject: Subject): AppError {
  return new AppError("unsupported", `The repository ${subject.repository} keeps its refs in the reftable format.`, {
    remedy: "Configure it by URL, or convert it with git refs migrate --ref-format=files.",
    reason: "unsupported_ref_storage",
    params: params(subject),
  });
}

/** @param why a fragment that names the mistake; no URL, for it may hold a password. */
export function badSource(subject: Subject, why: string): AppError {
  return new AppError("config", `The source of the repository ${subject.repository} is refused: ${why}.`, {
    remedy: "Configure an https:// or ssh:// URL, or the path of a local repository.",
    reason: "bad_source",
    params: { ...params(subject), why },
  });
}

export function unreachable(subject: Subject, detail: string): AppError {
  return new AppError("unavailable", `The repository ${subject.repository} cannot be reached.`, {
    remedy: "Try again in a few minutes; if it stays, check the server and the network.",
    reason: "vcs_unreachable",
    params: params(subject),
    detail,
  });
}

export function refused(subject: Subject, detail: string): AppError {
  return new AppError("auth", `The server refuses the bot's credentials for ${subject.repository}.`, {
    remedy: "An operator must renew the repository's credentials or grant them read access.",
    reason: "vcs_auth",
    params: params(subject),
    detail,
  });
}

export function timedOut(subject: Subject): AppError {
  return new AppError("timeout", `Reading ${subject.repository} took too long and was stopped.`, {
    remedy: "Try again; if it stays, review a smaller range or raise the time limit.",
    reason: "timeout",
    params: params(subject),
  });
}

export function cancelled(subject: Subject): AppError {
  return new AppError("cancelled", `Reading ${subject.repository} was cancelled.`, {
    remedy: "Ask again.",
    reason: "cancelled",
    params: params(subject),
  });
}

export function tooLarge(subject: Subject): AppError {
  return new AppError("too_large", `The answer of ${subject.repository} is larger than the limit.`, {
    remedy: "Ask for less (a smaller range or fewer lines), or raise the limit.",
    reason: "too_large",
    params: params(subject),
  });
}

export function gitMissing(detail: string): AppError {
  return new AppError("config", "The program git could not be started.", {
    remedy: "Install git 2.34 or newer and make sure that it is on the PATH.",
    reason: "git_missing",
    detail,
  });
}

export function damaged(subject: Subject, detail: string): AppError {
  return new AppError("corrupt", `Git could not read the repository ${subject.repository}.`, {
    remedy: "Run git fsck on the repository; a partial clone must fetch its missing objects first.",
    reason: "vcs_corrupt",
    params: params(subject),
    detail,
  });
}

export function badPath(subject: Subject, path: string, why: string): AppError {
  return new AppError("bad_request", `"${shown(path)}" cannot be read: ${why}.`, {
    remedy: "Do not retry; give the path of a text file, relative to the repository's root.",
    reason: "bad_path",
    params: { ...params(subject), path: shown(path), why },
  });
}

export function missingPath(subject: Subject, path: string): AppError {
  return new AppError("not_found", `"${shown(path)}" does not exist at the reviewed revision.`, {
    remedy: "Do not retry this path.",
    reason: "path_not_found",
    params: { ...params(subject), path: shown(path) },
  });
}

export function notText(subject: Subject, path: string, what: string): AppError {
  return new AppError("unsupported", `"${shown(path)}" is ${what}, not text.`, {
    remedy: "Do not retry this path.",
    reason: "not_text",
    params: { ...params(subject), path: shown(path), what },
  });
}

export function badRange(subject: Subject, lines: { readonly start: number; readonly end: number }): AppError {
  return new AppError("bad_request", `Lines ${lines.start} to ${lines.end} are not a range of lines.`, {
    remedy: "Give whole numbers from 1 on, the first not greater than the last.",
    reason: "bad_range",
    params: { ...params(subject), start: lines.start, end: lines.end },
  });
}
