// The aicr-checks server as a command: options and environment in, stdio or HTTP out.
import { parseArgs } from "node:util";
import { type Checks, createChecks } from "../checks/checks.ts";
import { createCheckTools } from "../checks/tools.ts";
import { type Locale, locales } from "../ports/texts.ts";
import { type Processes, processes } from "../process/spawn.ts";
import { commonOptions, optionRules } from "./server-options.ts";
import { serveStdio } from "./stdio.ts";

const rules = optionRules("mcp checks");

type Env = Readonly<Record<string, string | undefined>>;

export const checksUsage = `aicr-bot mcp checks [options]

  --project <dir>          the project to check, default the working directory
  --locale en|zh-CN|vi     language of the answers, default en
  --trust own|foreign      own (default): the project's engines and settings. foreign: ours, nothing of the project runs
  --transport stdio|http   default stdio
  --host <address>         http: where to listen, default 127.0.0.1
  --port <number>          http: default 3001; 0 picks a free one
  --allow-host <name>      http: further name in the Host header, may be repeated
  --allow-origin <origin>  http: further origin whose pages may call, may be repeated

Environment: XDG_CACHE_HOME (results are kept below it), AICR_MCP_TOKEN (http: bearer token; needed beyond loopback).
`;

export interface ChecksServerOptions {
  readonly version: string;
  readonly stop: AbortSignal;
  /** Told the endpoint's URL and notices; never written to stdout, which belongs to the protocol. */
  announce(text: string): void;
}

/**
 * Runs the server until its client has gone (stdio) or `stop` is aborted; engines that still run are then killed. The caller
 * ends the process. Throws AppError `bad_request` for a wrong option, `not_found` for a project that is no directory.
 */
export async function runMcpChecks(argv: readonly string[], env: Env, options: ChecksServerOptions): Promise<void> {
  const flags = readFlags(argv);
  if (flags.help === true) return options.announce(checksUsage);
  const transport = rules.oneOf("--transport", flags.transport ?? "stdio", ["stdio", "http"]);
  const locale = rules.oneOf("--locale", flags.locale ?? "en", locales);
  const trust = rules.oneOf("--trust", flags.trust ?? "own", ["own", "foreign"]);
  const engines = createEngineRuns();
  const checks = createChecks({
    trust,
    root: flags.project ?? process.cwd(),
    locale,
    env,
    run: engines.run,
    onNotice: (text) => options.announce(`${text}\n`),
  });
  try {
    if (transport === "stdio") {
      await Promise.race([serveStdio(toolSet(checks, locale, options)), aborted(options.stop)]);
    } else await serveOverHttp(flags, checks, locale, env, options);
  } finally {
    await engines.end();
  }
}

async function serveOverHttp(
  flags: ReturnType<typeof readFlags>,
  checks: Checks,
  locale: Locale,
  env: Env,
  options: ChecksServerOptions,
): Promise<void> {
  const port = Number(flags.port ?? "3001");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw rules.bad("--port wants a number from 0 to 65535.");
  // Lazily: stdio servers, which agents wait for, start without it.
  const { serveHttp } = await import("./http.ts");
  const token = env["AICR_MCP_TOKEN"]?.trim();
  const server = await serveHttp({
    host: flags.host ?? "127.0.0.1",
    port,
    allowedHosts: flags["allow-host"] ?? [],
    allowedOrigins: flags["allow-origin"] ?? [],
    ...(token === undefined || token === "" ? {} : { bearerToken: token }),
    makeToolSet: () => toolSet(checks.session(), locale, options),
  });
  options.announce(`aicr-checks listens at ${server.url}\n`);
  await aborted(options.stop);
  await server.close();
}

function toolSet(
  checks: Checks,
  locale: Locale,
  { version }: ChecksServerOptions,
): ReturnType<typeof createCheckTools> {
  return createCheckTools({ checks, version, locale });
}

/** Engines run in sessions of their own, so a server that ends must end them itself. */
function createEngineRuns(): { readonly run: Processes["run"]; end(): Promise<void> } {
  const over = new AbortController();
  const open = new Set<Promise<unknown>>();
  return {
    run(request) {
      const signal = request.signal === undefined ? over.signal : AbortSignal.any([request.signal, over.signal]);
      const result = processes.run({ ...request, signal });
      open.add(result);
      void result.finally(() => open.delete(result));
      return result;
    },
    async end() {
      over.abort();
      await Promise.allSettled(open);
    },
  };
}

function readFlags(argv: readonly string[]) {
  const own = { locale: { type: "string" }, project: { type: "string" }, trust: { type: "string" } } as const;
  const options = { ...commonOptions, ...own } as const;
  return rules.orRefuse(() => parseArgs({ args: [...argv], options }).values);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
