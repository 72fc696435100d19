// `aicr-bot serve`: starts the product and keeps it running until a signal drains it.
import { once } from "node:events";
import { openStore } from "../../compose-store.ts";
import { loadConfig } from "../../config/load.ts";
import { createLogger } from "../../telemetry/log.ts";
import { type ExitCode, readOptions, report } from "../command-line.ts";
import type { CommandIo } from "../io.ts";
import { logStrayRejections } from "../stray-rejections.ts";

/** A platform refuses the bot until somebody corrects its settings: a supervisor that restarts it makes nothing better. */
const REFUSED = 78;

const usage = "aicr-bot serve [--config <file>]";

const help = `Serves the web chat and reviews what is asked for.

Usage: ${usage}

  --config <file>  the configuration; default: aicr-bot.yaml here, if there is one; without one, the chat is served on
                   http://127.0.0.1:8787 with this folder's repository as . and a generated one as demo
`;

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values } = readOptions(argv, { config: { type: "string" }, help: { type: "boolean", short: "h" } }, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  const file = values["config"];
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(typeof file === "string" ? { file } : {}) });
  const logger = createLogger({ level: config.logLevel, secrets: config.secrets });
  const stopLogging = logStrayRejections(process, logger);
  const opening = openStore(config, logger);
  // A store that cannot be opened is told of below, once the rest is loaded.
  opening.catch(() => {});
  const { startServer } = await import("../../compose.ts");
  const refusal = new AbortController();
  const product = await startServer(config, logger, opening, (error) => refusal.abort(error));
  const first = config.repositories.find(({ source }) => source.kind === "demo") ?? config.repositories[0];
  const example = first === undefined ? "/review help" : `/review ${first.alias} HEAD`;
  const hint = config.channels.web.enabled ? `Open it and type:  ${example}\n` : "";
  io.stdout(`AICR Bot listens on ${product.url}\n${hint}Stop with Ctrl+C.\n`);
  const end = AbortSignal.any([io.signal, refusal.signal]);
  if (!end.aborted) await once(end, "abort");
  const refused = refusal.signal.aborted ? refusal.signal.reason : null;
  io.stdout("Stopping: what runs is given back, what is being sent is sent.\n");
  await product.stop();
  stopLogging();
  if (refused === null) return 0;
  report(refused, io);
  return REFUSED;
}
