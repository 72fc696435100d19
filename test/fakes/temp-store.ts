// A real SQLite store in a temporary folder, writing in this thread, for tests of what stands on the store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/ports/store.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { silentLogger } from "./silent-logger.ts";

export interface TempStore {
  readonly store: Store;
  readonly directory: string;
  remove(): Promise<void>;
}

export async function createTempStore(): Promise<TempStore> {
  const directory = mkdtempSync(join(tmpdir(), "aicr-store-"));
  const store = await createSqliteStore({ directory, logger: silentLogger });
  return {
    store,
    directory,
    async remove() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
