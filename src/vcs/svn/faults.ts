// The faults that only Subversion has, and what the codes on svn's stderr mean.
import { AppError } from "../../core/errors.ts";
import { refused, type Subject, unreachable } from "../git/faults.ts";

function shown(rev: string): string {
  const line = rev.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{fffd}");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

export function badRevision(subject: Subject, why: string): AppError {
  const rev = shown(subject.rev ?? "");
  return new AppError("bad_request", `"${rev}" is not a revision: ${why}.`, {
    remedy: "Give a revision number such as r123, or a range such as r100:r123.",
    reason: "bad_revision",
    params: { repository: subject.repository, rev, why },
  });
}

/** @param why a fragment that names the mistake; no URL, for it may hold a password. */
export function badSource(subject: Subject, why: string): AppError {
  return new AppError("config", `The source of the repository ${subject.repository} is refused: ${why}.`, {
    remedy: "Configure an https://, svn:// or svn+ssh:// URL.",
    reason: "bad_source",
    params: { repository: subject.repository, why },
  });
}

export function notAFolder(subject: Subject, detail: string): AppError {
  return new AppError("config", `There is no Subversion folder where ${subject.repository} is configured.`, {
    remedy: "Check the URL of this repository in the configuration, and that the bot may read it.",
    reason: "not_a_repository",
    params: { repository: subject.repository },
    detail,
  });
}

export function svnMissing(detail: string): AppError {
  return new AppError("config", "The program svn could not be started.", {
    remedy: "Install Subversion 1.10 or newer and make sure that svn is on the PATH.",
    reason: "svn_missing",
    detail,
  });
}

export function damaged(subject: Subject, detail: string): AppError {
  return new AppError("corrupt", `Subversion could not read the repository ${subject.repository}.`, {
    remedy: "Run svnadmin verify on the server, and look for the error in the bot's log.",
    reason: "vcs_corrupt",
    params: { repository: subject.repository },
    detail,
  });
}

/** What a failure is about, by svn's own codes; texts are translated and change, codes do not. */
export type Failure = "no_revision" | "no_path" | "directory" | "auth" | "unreachable" | "other";

const CODES: readonly (readonly [Failure, RegExp])[] = [
  // Before the rest: a refused login also says that it could not connect.
  ["auth", /^[EW](170001|215004|220001|175013)$/],
  ["directory", /^[EW]195007$/],
  ["no_revision", /^[EW]160006$/],
  ["no_path", /^[EW](160013|170000|195012|145000|160005)$/],
  // Network, TLS, a server that hangs up, a repository that cannot be opened; system errors are E000xxx and E67xxxx.
  ["unreachable", /^[EW](0000\d\d|000\d{3}|120\d{3}|1700(13|11)|1750\d\d|18000[1-9]|2100\d\d|2300\d\d|67\d{4})$/],
];

export function failureOf(stderr: string): Failure {
  const codes = [...stderr.matchAll(/^svn: (?:warning: )?([EW]\d{6}):/gm)].map((match) => match[1] as string);
  for (const [failure, pattern] of CODES) if (codes.some((code) => pattern.test(code))) return failure;
  return "other";
}

/** The fault of a command that ended with an error; nothing that it printed before is of use. */
export function faultOf(stderr: string, command: string, subject: Subject): AppError {
  const detail = `svn ${command}: ${stderr.trim()}`;
  switch (failureOf(stderr)) {
    case "auth":
      return refused(subject, detail);
    case "unreachable":
      return unreachable(subject, detail);
    default:
      return damaged(subject, detail);
  }
}
