// The engines behind the check-engine port: strict about strangers' code.
import type { CheckEngines } from "../ports/check-engine.ts";
import type { Locale } from "../ports/texts.ts";
import { type Processes, processes } from "../process/spawn.ts";
import type { EnginePackage } from "./engine-package.ts";
import { diagnoseForeign } from "./foreign-engines.ts";
import { type EngineLimits, type EngineName, engineLimits } from "./limits.ts";

export interface CheckEnginesOptions {
  /** `foreign`: our engines and settings, on a copy; nothing of the repository is executed or obeyed. */
  readonly trust: "foreign";
  /** Language of the engines' status messages; English by default. */
  readonly locale?: Locale;
  /** Where copies are made; the system's temporary folder by default. */
  readonly scratchDir?: string;
  readonly limits?: EngineLimits;
  readonly run?: Processes["run"];
  readonly findEngine?: (engine: EngineName) => EnginePackage | null;
}

export function createCheckEngines(options: CheckEnginesOptions): CheckEngines {
  return {
    diagnose: ({ root, files, signal }) =>
      diagnoseForeign(
        root,
        files,
        {
          run: options.run ?? processes.run,
          limits: options.limits ?? engineLimits,
          locale: options.locale ?? "en",
          ...(options.scratchDir === undefined ? {} : { scratchDir: options.scratchDir }),
          ...(options.findEngine === undefined ? {} : { findEngine: options.findEngine }),
        },
        signal,
      ),
  };
}
