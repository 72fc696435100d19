// Opens the store that a server works on; apart, so that its thread starts while the rest of the server is still being loaded.
import type { Config } from "./config/config.ts";
import { bundlePath } from "./config/paths.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import { createSqliteStore } from "./store/sqlite/store.ts";
import { maskStore } from "./telemetry/mask-gates.ts";
import { createRedactor } from "./telemetry/redact.ts";

/** Throws AppError `config`, `corrupt` or `unavailable` with a remedy when the store cannot be opened. */
export async function openStore(config: Config, logger: Logger): Promise<Store> {
  const store = await createSqliteStore({
    directory: config.dataDir,
    writerEntry: bundlePath("store-writer"),
    logger,
  });
  return maskStore(store, createRedactor(config.secrets));
}
