// Faults of the product: one error type whose remedy is a sentence that a person can act on.

export type ErrorCode =
  | "bad_request"
  | "not_found"
  | "forbidden"
  | "auth"
  | "config"
  | "unavailable"
  | "timeout"
  | "too_large"
  | "unsupported"
  | "corrupt"
  | "cancelled"
  | "internal";

export interface AppErrorOptions {
  /** Whether the same call may succeed later without anybody changing anything. Default: false, but true for `unavailable` and `timeout`. */
  readonly retryable?: boolean;
  /** What a person can do about it: one sentence, English, no secrets. */
  readonly remedy: string;
  /** A key of the text catalogue (`error.<reason>` and `error.<reason>.remedy`), for channels that speak other languages. */
  readonly reason?: string;
  /** Values for the catalogue's placeholders. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Redacted technical detail for the log; never shown in a conversation. */
  readonly detail?: string;
  readonly cause?: unknown;
}

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly remedy: string;
  readonly reason: string | undefined;
  readonly params: Readonly<Record<string, string | number>>;
  readonly detail: string | undefined;

  /** @param message what went wrong and where: one English sentence without a stack or a secret. */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? (code === "unavailable" || code === "timeout");
    this.remedy = options.remedy;
    this.reason = options.reason;
    this.params = options.params ?? {};
    this.detail = options.detail;
  }
}

/** Turns anything thrown into an AppError, keeping the original as its cause; what the disk refused says so. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const refused = diskFault(thrown);
  if (refused !== null) return refused;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("internal", "Something went wrong inside the bot.", {
    remedy: "Try again; if it stays, send the operator the time of this message.",
    reason: "internal",
    detail: message,
    cause: thrown,
  });
}

/** What the operating system says when a file cannot be written, as a fault; null for everything else. */
function diskFault(thrown: unknown): AppError | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  const path = "path" in thrown && typeof thrown.path === "string" ? thrown.path : "A file";
  const about = { detail: thrown.message, cause: thrown };
  switch (thrown.code) {
    case "ENOSPC":
    case "EDQUOT":
      return new AppError("unavailable", "The disk is full.", {
        ...about,
        reason: "disk_full",
        remedy: "Free some space on the disk of the data directory and of the temporary folder.",
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new AppError("config", `${path} may not be written.`, {
        ...about,
        reason: "run_directory",
        remedy: "Give the bot's user write access to it, or configure another data directory.",
      });
    case "EEXIST":
    case "ENOTDIR":
      return new AppError("config", `${path} is a file, where a folder belongs.`, {
        ...about,
        reason: "run_directory",
        remedy: "Move that file away, or configure another data directory.",
      });
    default:
      return null;
  }
}
