// Opens the store's file: checks the folder and the file before anything is written, then brings the schema up to date.
import { mkdirSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../../core/errors.ts";
import { corruptStore, toStoreFault, unwritableStore } from "./faults.ts";
import { type Migrated, migrate, refuseUnknown } from "./migrate.ts";
import { type Migration, migrations } from "./schema.ts";

/** How long a statement waits for another process's lock, ms. */
const busyTimeoutMs = 5_000;
/** SQLite checkpoints by itself only past this many pages (32 MB); before that, the writer does it when idle. */
const checkpointPages = 8_192;
/** Types of statfs(2): NFS, SMB, CIFS, SMB2, whose locks SQLite cannot rely on. */
const networkFilesystems: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

export interface OpenOptions {
  readonly file: string;
  /** Upper bound of the file in bytes; absent means the disk decides. */
  readonly maxBytes?: number;
}

export interface OpenedWriter {
  readonly db: BetterSqlite3.Database;
  readonly migrated: Migrated;
}

/**
 * The one connection that writes.
 * @throws AppError `corrupt` (nothing was written), `config` (folder, newer file) or `unavailable` (locked, disk full).
 */
export function openWriter(options: OpenOptions, steps: readonly Migration[] = migrations): OpenedWriter {
  prepareFolder(options.file);
  let db: BetterSqlite3.Database | undefined;
  try {
    db = new BetterSqlite3(options.file, { timeout: busyTimeoutMs });
    protect(db);
    quickCheck(db);
    const pageSize = Number(db.pragma("page_size", { simple: true }));
    if (options.maxBytes !== undefined) db.pragma(`max_page_count = ${Math.ceil(options.maxBytes / pageSize)}`);
    const migrated = migrateDurably(db, options.file, steps);
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    return { db, migrated };
  } catch (error) {
    db?.close();
    throw toStoreFault(error);
  }
}

/** A connection that can only read; it sees what is committed. */
export function openReader(file: string): BetterSqlite3.Database {
  try {
    const db = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
    protect(db);
    return db;
  } catch (error) {
    throw toStoreFault(error);
  }
}

function protect(db: BetterSqlite3.Database): void {
  db.pragma("trusted_schema = OFF");
  db.pragma("foreign_keys = ON");
}

/** A newer or a foreign file is refused before the journal mode, which is part of the file, is touched. */
function migrateDurably(db: BetterSqlite3.Database, file: string, steps: readonly Migration[]): Migrated {
  refuseUnknown(db, file, steps);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  return migrate(db, file, steps);
}

function quickCheck(db: BetterSqlite3.Database): void {
  const verdict = db.pragma("quick_check(1)", { simple: true });
  if (verdict !== "ok") throw corruptStore(String(verdict));
}

function prepareFolder(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" || code === "ENOTDIR") throw fileInPlace(folder, error);
    throw unwritableStore(`${folder}: ${String(error)}`, error);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new AppError("config", `${file} is a folder, where the store's file belongs.`, {
      reason: "store_is_folder",
      params: { file },
      remedy: "Move the folder away, or configure another data directory.",
    });
  }
  if (networkFilesystems.has(statfsSync(folder).type)) {
    throw new AppError("config", `${folder} is on a network filesystem.`, {
      reason: "store_on_network",
      params: { folder },
      remedy: "Put the data directory on a local disk: SQLite's locks do not hold on network filesystems.",
    });
  }
}

function fileInPlace(folder: string, cause: unknown): AppError {
  return new AppError("config", `${folder} is a file, where the data directory belongs.`, {
    reason: "store_folder_is_file",
    params: { folder },
    cause,
    remedy: "Move that file away, or configure another data directory.",
  });
}
