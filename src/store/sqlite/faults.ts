// Turns SQLite's errors into faults with a remedy, and faults into plain data that can cross a thread.
import { AppError, type ErrorCode } from "../../core/errors.ts";

/** An AppError as structured-clonable data. */
export interface WireFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly remedy: string;
  readonly reason?: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly detail?: string;
}

export function toWire(fault: AppError): WireFault {
  const { code, message, retryable, remedy, reason, params, detail } = fault;
  return {
    code,
    message,
    retryable,
    remedy,
    params,
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
  };
}

export function fromWire(fault: WireFault): AppError {
  const { code, message, ...options } = fault;
  return new AppError(code, message, options);
}

/** Whatever a statement threw, as a fault that says what a person can do. */
export function toStoreFault(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const sqlite = sqliteCode(thrown);
  const detail = sqlite === undefined ? text : `${sqlite}: ${text}`;
  const options = { detail, cause: thrown };
  if (sqlite === "SQLITE_FULL") {
    return new AppError("unavailable", "The store's disk is full.", {
      ...options,
      reason: "disk_full",
      remedy: "Free some space on the disk of the data directory; the bot goes on by itself.",
    });
  }
  if (isCode(sqlite, "SQLITE_CORRUPT") || isCode(sqlite, "SQLITE_NOTADB")) return corruptStore(detail, thrown);
  if (isCode(sqlite, "SQLITE_BUSY") || isCode(sqlite, "SQLITE_LOCKED")) {
    return new AppError("unavailable", "Another process holds the store.", {
      ...options,
      reason: "store_busy",
      remedy: "Wait until the other aicr-bot process on the same data directory is done.",
    });
  }
  if (isCode(sqlite, "SQLITE_READONLY") || isCode(sqlite, "SQLITE_CANTOPEN") || isCode(sqlite, "SQLITE_PERM")) {
    return unwritableStore(detail, thrown);
  }
  if (isCode(sqlite, "SQLITE_IOERR")) {
    return new AppError("unavailable", "The store's disk reported an error.", {
      ...options,
      reason: "disk_error",
      remedy: "Check the disk of the data directory, then start the bot again.",
    });
  }
  return new AppError("internal", "The store could not carry out an operation.", {
    ...options,
    reason: "store_failed",
    remedy: "Try again; if it stays, send the operator the time of this message.",
  });
}

export function corruptStore(detail: string, cause?: unknown): AppError {
  return new AppError("corrupt", "The store's file is damaged.", {
    reason: "store_corrupt",
    detail,
    cause,
    remedy: "Stop the bot, move the file away and restore the latest backup with `aicr-bot restore`.",
  });
}

export function unwritableStore(detail: string, cause?: unknown): AppError {
  return new AppError("config", "The data directory cannot be written.", {
    reason: "store_not_writable",
    detail,
    cause,
    remedy: "Give the bot's user write access to the data directory, or configure another one.",
  });
}

/** What every call gets once the store was closed or its writer is gone. */
export function closedStore(detail: string): AppError {
  return new AppError("unavailable", "The store is closed.", {
    reason: "store_closed",
    retryable: false,
    detail,
    remedy: "Start the bot again.",
  });
}

export function sqliteCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown) || typeof thrown.code !== "string") return undefined;
  return thrown.code.startsWith("SQLITE_") ? thrown.code : undefined;
}

/** True for the code itself and its extended forms (`SQLITE_IOERR_WRITE`). */
function isCode(code: string | undefined, family: string): boolean {
  return code !== undefined && (code === family || code.startsWith(`${family}_`));
}
