// A logger that keeps quiet.
import type { Logger } from "../../src/ports/logger.ts";

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
