// Temporary folders and stores for the SQLite store's own tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { Store } from "../../../../src/ports/store.ts";
import { createSqliteStore } from "../../../../src/store/sqlite/store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

export const writerEntry = new URL("../../../../dist/store-writer.mjs", import.meta.url);

/** Makes folders and stores that are cleared away after each test. */
export function usingFiles() {
  const folders: string[] = [];
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder(): string {
      const folder = mkdtempSync(join(tmpdir(), "aicr-store-"));
      folders.push(folder);
      return folder;
    },
    async open(file: string, options: { readonly maxBytes?: number; readonly writerEntry?: URL } = {}): Promise<Store> {
      const store = await createSqliteStore({ file, logger: silentLogger, ...options });
      stores.push(store);
      return store;
    },
  };
}
