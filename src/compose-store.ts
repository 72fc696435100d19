// Opens the store that a server works on; apart, so that its thread starts while the rest of the server is still being loaded.
import type { Config } from "./config/config.ts";
import { bundlePath } from "./config/paths.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import { createSqliteStore } from "./store/sqlite/store.ts";

/** Throws AppError `config`, `corrupt` or `unavailable` with a remedy when the store cannot be opened. */
export function openStore(config: Config, logger: Logger): Promise<Store> {
  return createSqliteStore({ directory: config.dataDir, writerEntry: bundlePath("store-writer"), logger });
}
