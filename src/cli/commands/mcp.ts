// `aicr-bot mcp output` and `aicr-bot mcp checks`: the two tool servers.
import { packageVersion } from "../../config/paths.ts";
import type { CommandModule } from "../command-line.ts";
import type { CommandIo } from "../io.ts";

type RunServer = (
  argv: readonly string[],
  env: CommandIo["env"],
  options: { readonly version: string; readonly stop: AbortSignal; announce(text: string): void },
) => Promise<void>;

/** Stdout belongs to the protocol, so what the server announces goes to stderr. */
export function serverCommand(load: () => Promise<RunServer>): CommandModule {
  return {
    async run(argv, io) {
      const serve = await load();
      await serve(argv, io.env, { version: packageVersion(), stop: io.signal, announce: io.stderr });
      // A stdio server whose client has gone is an orphan: nothing it may still wait for keeps it alive.
      process.exit(0);
    },
  };
}
