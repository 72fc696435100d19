// A promise that a library forgot must not end a process that serves other platforms: it is logged, and the process goes on.
import type { EventEmitter } from "node:events";
import type { Logger } from "../ports/logger.ts";

/**
 * Socket libraries reject promises that nobody holds (a malformed packet, credentials refused while reconnecting); Node would
 * end the process. Exceptions that nobody caught still end it: after those nothing is certain.
 * @param source the process.
 * @returns stops it.
 */
export function logStrayRejections(source: EventEmitter, logger: Logger): () => void {
  const onRejection = (reason: unknown): void => {
    const error = reason instanceof Error ? reason : new Error(`Rejected with ${typeof reason}.`);
    logger.error("process.stray_rejection", { error });
  };
  source.on("unhandledRejection", onRejection);
  return () => void source.off("unhandledRejection", onRejection);
}
