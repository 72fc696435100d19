// Brings a store's file to the newest schema, forward only, with a copy of the file before each step.
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../../core/errors.ts";
import { applicationId, type Migration } from "./schema.ts";

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Copies that were made, oldest first. */
  readonly copies: readonly string[];
}

/** Applies what is missing, each step in one transaction of its own; call `refuseUnknown` first. */
export function migrate(db: BetterSqlite3.Database, file: string, migrations: readonly Migration[]): Migrated {
  const from = versionOf(db);
  const copies: string[] = [];
  for (const migration of migrations) {
    if (migration.version <= versionOf(db)) continue;
    const copy = applyOne(db, file, migration, from > 0);
    if (copy !== undefined) copies.push(copy);
  }
  return { from, to: versionOf(db), copies };
}

/** The write lock is taken first, so that the copy holds exactly what the step changes and two processes never do one step twice. */
function applyOne(
  db: BetterSqlite3.Database,
  file: string,
  migration: Migration,
  isWorthACopy: boolean,
): string | undefined {
  db.exec("BEGIN IMMEDIATE");
  try {
    if (versionOf(db) >= migration.version) {
      db.exec("ROLLBACK");
      return undefined;
    }
    const copy = isWorthACopy ? copyBefore(file, migration.version) : undefined;
    db.exec(migration.sql);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${migration.version}`);
    db.exec("COMMIT");
    return copy;
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** A second connection reads the committed state while the first one holds the write lock. */
function copyBefore(file: string, version: number): string {
  const copy = `${file}.before-${version}`;
  const partial = `${copy}.partial`;
  rmSync(partial, { force: true });
  const reader = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    reader.prepare("VACUUM INTO ?").run(partial);
  } finally {
    reader.close();
  }
  const handle = openSync(partial, "r+");
  fsyncSync(handle);
  closeSync(handle);
  renameSync(partial, copy);
  return copy;
}

/** @throws AppError `config` when the file is newer than this program or belongs to another one; nothing is written. */
export function refuseUnknown(db: BetterSqlite3.Database, file: string, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = versionOf(db);
  if (version > newest) throw newerFile(file, version, newest);
  if (db.pragma("application_id", { simple: true }) === applicationId) return;
  const tables = db.prepare<unknown[], number>("SELECT count(*) FROM sqlite_schema").pluck().get() ?? 0;
  if (tables === 0) return;
  throw new AppError("config", `${file} is a database of another program.`, {
    reason: "store_foreign",
    params: { file },
    remedy: "Configure another data directory, or move that file away.",
  });
}

function newerFile(file: string, version: number, newest: number): AppError {
  return new AppError("config", `${file} was written by a newer version of aicr-bot.`, {
    reason: "store_newer",
    params: { file, version, newest },
    detail: `schema ${version}, this program knows up to ${newest}`,
    remedy: `Install the newer aicr-bot again, or put back the copy ${file}.before-${newest + 1}.`,
  });
}

function versionOf(db: BetterSqlite3.Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}
