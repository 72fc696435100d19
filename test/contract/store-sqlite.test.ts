// SQLite keeps the store's contract, with the writer on its own thread and in the caller's.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { type MakeStore, storeContract } from "./store.ts";

const writerEntry = new URL("../../dist/store-writer.mjs", import.meta.url);

function makeStore(options: { readonly writerEntry?: URL }): MakeStore {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "aicr-store-"));
    const store = await createSqliteStore({ directory, logger: silentLogger, ...options });
    return { store, dispose: () => rm(directory, { recursive: true, force: true }) };
  };
}

storeContract("SQLite, writer thread", makeStore({ writerEntry }), 6);
storeContract("SQLite, writer in this thread", makeStore({}));
