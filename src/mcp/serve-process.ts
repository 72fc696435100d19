// The life of a tool server's own process: it runs until its client has gone or a signal stops it, and says why it cannot.
import packageJson from "../../package.json" with { type: "json" };
import { toAppError } from "../core/errors.ts";

export type RunServer = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  options: { readonly version: string; readonly stop: AbortSignal; announce(text: string): void },
) => Promise<void>;

/** Ends the process: 0 when the server is over, 2 when it could not run. Stdout belongs to the protocol. */
export async function serveProcess(run: RunServer): Promise<never> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  try {
    await run(process.argv.slice(2), process.env, {
      version: packageJson.version,
      stop: stop.signal,
      announce: (text) => process.stderr.write(text),
    });
    // A stdio server whose client has gone is an orphan: nothing it may still wait for keeps it alive.
    process.exit(0);
  } catch (thrown) {
    const fault = toAppError(thrown);
    process.stderr.write(`${fault.message} ${fault.remedy}\n`);
    process.exit(2);
  }
}
