// The faults of Perforce: what its messages mean, and what a person can do about each.
import { AppError } from "../../core/errors.ts";
import { refused, type Subject, tooLarge, unknownRevision, unreachable } from "../git/faults.ts";

/** What a message of p4 or of its server is about. */
export type Trouble =
  | "missing"
  | "forbidden"
  | "bad_request"
  | "auth"
  | "too_large"
  | "charset"
  | "trust"
  | "usage"
  | "translation"
  /** The server's archive of a revision is gone, purged or kept elsewhere. */
  | "unreadable"
  /** A warning of no known meaning; whoever gave it was certainly the server. */
  | "remark"
  | "unreachable";

/** Texts decide, since an expired session and a wrong revision share a generic code; the order matters. */
const TEXTS: readonly (readonly [RegExp, Trouble])[] = [
  [/authenticity of .* can't be established|IDENTIFICATION HAS CHANGED|fingerprint/i, "trust"],
  [/no such (?:changelist|file\(s\)|area)|no file\(s\) (?:at|in) that|no revision\(s\)/i, "missing"],
  [/protected namespace|don't have permission|has not been enabled by 'p4 protect'/i, "forbidden"],
  [/P4PASSWD\) invalid or unset|session (?:has expired|was logged out)|please login again|Password invalid/i, "auth"],
  [/password must be (?:set|reset)|must reset your password|User .* doesn't exist/i, "auth"],
  [/Invalid (?:changelist|revision)/i, "bad_request"],
  [/Request too large|Too many rows scanned|Operation took too long/i, "too_large"],
  [/Translation of file content failed/i, "translation"],
  [/Librarian|open for read|\bpurged\b|\barchived?\b/i, "unreadable"],
  [/unicode (?:enabled|server|clients)|P4CHARSET|character set/i, "charset"],
  [/^(?:Usage:|Invalid option|Unknown command|Perforce client error:\s*Usage)/i, "usage"],
];

/** EV_TOOBIG: a limit of the server. */
const GENERIC_TOO_BIG = 35;

/** What is not recognised counts as an outage, which is tried again and shown. */
export function troubleOf(text: string, generic = 0): Trouble {
  for (const [pattern, trouble] of TEXTS) if (pattern.test(text)) return trouble;
  return generic === GENERIC_TOO_BIG ? "too_large" : "unreachable";
}

export function faultOf(trouble: Trouble, subject: Subject, detail: string): AppError {
  switch (trouble) {
    case "missing":
      return unknownRevision(subject);
    case "forbidden":
      return forbidden(subject, detail);
    case "bad_request":
      return badChangelist(subject, "Perforce does not take it for a changelist");
    case "auth":
      return refused(subject, detail);
    case "too_large":
      return tooLarge(subject);
    case "charset":
    case "translation":
      return wrongCharset(subject, detail);
    case "trust":
      return untrusted(subject, detail);
    case "usage":
      return outdated(subject, detail);
    case "unreadable":
    case "remark":
      return garbled(subject, detail);
    case "unreachable":
      return unreachable(subject, detail);
  }
}

function params(subject: Subject): Record<string, string> {
  return { repository: subject.repository, rev: shown(subject.rev ?? "") };
}

/** A revision as it may be repeated to people: one line, short, without control characters. */
function shown(rev: string): string {
  const line = rev.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{fffd}");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

export function badChangelist(subject: Subject, why: string): AppError {
  return new AppError("bad_request", `"${shown(subject.rev ?? "")}" is not a changelist: ${why}.`, {
    remedy: "Give a changelist number such as 12345, or @=12345 for a shelf.",
    reason: "bad_revision",
    params: { ...params(subject), why },
  });
}

export function pendingChangelist(subject: Subject, number: number): AppError {
  return new AppError("bad_request", `Changelist ${number} of ${subject.repository} is not submitted.`, {
    remedy: `Submit it, or shelve it and review @=${number}.`,
    reason: "pending_changelist",
    params: { ...params(subject), change: String(number) },
  });
}

export function forbidden(subject: Subject, detail: string): AppError {
  return new AppError("forbidden", `The bot may not read this part of ${subject.repository}.`, {
    remedy: "Do not retry; an operator can grant the bot's account read access to it.",
    reason: "vcs_forbidden",
    params: params(subject),
    detail,
  });
}

export function wrongCharset(subject: Subject, detail: string): AppError {
  return new AppError("config", `The character set for the Perforce server of ${subject.repository} is wrong.`, {
    remedy: "Set charset to utf8 for a server in unicode mode, and leave it out for any other.",
    reason: "p4_charset",
    params: params(subject),
    detail,
  });
}

export function untrusted(subject: Subject, detail: string): AppError {
  return new AppError("config", `The key of the Perforce server of ${subject.repository} is not the trusted one.`, {
    remedy:
      "Ask the server's administrator for its fingerprint and configure exactly that; if it was right, tell them.",
    reason: "p4_untrusted",
    params: params(subject),
    detail,
  });
}

export function outdated(subject: Subject, detail: string): AppError {
  return new AppError("config", `The p4 program or the server of ${subject.repository} is too old.`, {
    remedy: "Install p4 2022.1 or newer, on the server too.",
    reason: "p4_outdated",
    params: params(subject),
    detail,
  });
}

export function p4Missing(detail: string): AppError {
  return new AppError("config", "The program p4 could not be started.", {
    remedy: "Install the Perforce command line client (p4) 2022.1 or newer and make sure that it is on the PATH.",
    reason: "p4_missing",
    detail,
  });
}

export function garbled(subject: Subject, detail: string): AppError {
  return new AppError("corrupt", `The answer of the Perforce server of ${subject.repository} cannot be read.`, {
    remedy: "Try again; if it stays, check the versions of p4 and of its server.",
    reason: "vcs_corrupt",
    params: params(subject),
    detail,
  });
}

/** @param why a fragment that names the mistake; never the value, which may hold a secret. */
export function badP4Source(subject: Subject, why: string): AppError {
  return new AppError("config", `The Perforce settings of the repository ${subject.repository} are refused: ${why}.`, {
    remedy: "Configure port as host:1666 or ssl:host:1666, a user, and depot_path as //depot/path/... .",
    reason: "bad_source",
    params: { ...params(subject), why },
  });
}
