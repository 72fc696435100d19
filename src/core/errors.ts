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

/** Turns anything thrown into an AppError, keeping the original as its cause. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("internal", "Something went wrong inside the bot.", {
    remedy: "Try again; if it stays, send the operator the time of this message.",
    reason: "internal",
    detail: message,
    cause: thrown,
  });
}
