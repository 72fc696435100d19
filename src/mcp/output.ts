// The aicr-output server as a command: options and environment in, stdio or HTTP out.
import { parseArgs } from "node:util";
import type { ToolSet } from "../ports/tool.ts";
import { createChangeWatch } from "../report-tools/change-watch.ts";
import { markConnected } from "../report-tools/connection-mark.ts";
import type { NameForm } from "../report-tools/names.ts";
import { createReportTools } from "../report-tools/registry.ts";
import { createReportState, localRunId, type ReportState } from "../report-tools/report-state.ts";
import { createResolverClient } from "../report-tools/resolver-client.ts";
import { stateFileName } from "../report-tools/state-file.ts";
import { commonOptions, optionRules } from "./server-options.ts";
import { serveStdio } from "./stdio.ts";

const rules = optionRules("mcp output");

export type OutputOptions =
  | { readonly transport: "stdio"; readonly names: NameForm }
  | {
      readonly transport: "http";
      readonly names: NameForm;
      readonly host: string;
      readonly port: number;
      readonly allowedHosts: readonly string[];
      readonly allowedOrigins: readonly string[];
    };

type Env = Readonly<Record<string, string | undefined>>;

export const outputUsage = `aicr-bot mcp output [options]

  --transport stdio|http     default stdio
  --host <address>           http: where to listen, default 127.0.0.1
  --port <number>            http: default 3000; 0 picks a free one
  --allow-host <name>        http: further name in the Host header, may be repeated
  --allow-origin <origin>    http: further origin whose pages may call, may be repeated
  --names canonical|underscore
                             list aicr.skip or aicr_skip; calls are understood in both forms

Environment: AICR_OUTPUT_STATE_PATH (default ${stateFileName} here), AICR_CHANGE_PATH, AICR_RUN_ID, AICR_RESOLVER,
AICR_MCP_TOKEN (http: bearer token; needed beyond loopback).
`;

/** Reads the command line. Throws AppError `bad_request` with what would be right. */
export function parseOutputArgs(argv: readonly string[]): OutputOptions | "help" {
  const values = readFlags(argv);
  if (values.help === true) return "help";
  const names = rules.oneOf("--names", values.names ?? "canonical", ["canonical", "underscore"]);
  const transport = rules.oneOf("--transport", values.transport ?? "stdio", ["stdio", "http"]);
  if (transport === "stdio") return { transport, names };
  const port = Number(values.port ?? "3000");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw rules.bad("--port wants a number from 0 to 65535.");
  return {
    transport,
    names,
    host: values.host ?? "127.0.0.1",
    port,
    allowedHosts: values["allow-host"] ?? [],
    allowedOrigins: values["allow-origin"] ?? [],
  };
}

/**
 * Runs the server until its client has gone (stdio) or `stop` is aborted. The caller then ends the process.
 *
 * @param announce told the endpoint's URL once HTTP listens; never written to stdout, which belongs to the protocol.
 */
export async function runMcpOutput(
  argv: readonly string[],
  env: Env,
  options: { readonly version: string; readonly stop: AbortSignal; announce(text: string): void },
): Promise<void> {
  const parsed = parseOutputArgs(argv);
  if (parsed === "help") return options.announce(outputUsage);
  const statePath = present(env["AICR_OUTPUT_STATE_PATH"]) ?? stateFileName;
  const pass = createPass(env, parsed.names, options.version);
  if (parsed.transport === "stdio") {
    return Promise.race([serveStdio(pass.toolSet(statePath, pass.state(statePath))), aborted(options.stop)]);
  }

  // Lazily: stdio servers, which agents wait for, start without it.
  const [{ serveHttp }, { createStatePaths }] = await Promise.all([import("./http.ts"), import("./state-paths.ts")]);
  const isForPass = present(env["AICR_RUN_ID"]) !== undefined;
  const paths = createStatePaths(statePath);
  // A server that was started for a pass has one state, whoever calls: the orchestrator reads one file.
  const passState = isForPass ? pass.state(statePath) : null;
  const bearerToken = present(env["AICR_MCP_TOKEN"]);
  const server = await serveHttp({
    ...parsed,
    ...(bearerToken === undefined ? {} : { bearerToken }),
    makeToolSet: (sessionId) => {
      const path = passState === null ? paths.take(sessionId) : statePath;
      return {
        toolSet: pass.toolSet(path, passState ?? pass.state(path)),
        release: () => paths.release(sessionId),
      };
    },
  });
  options.announce(`aicr-output listens at ${server.url}\n`);
  await aborted(options.stop);
  await server.close();
}

interface Pass {
  state(path: string): ReportState;
  toolSet(statePath: string, state: ReportState): ToolSet;
}

/** What all sessions of this process have in common. */
function createPass(env: Env, names: NameForm, version: string): Pass {
  const changePath = present(env["AICR_CHANGE_PATH"]);
  const change = changePath === undefined ? undefined : createChangeWatch(changePath);
  // A server that was not told its pass belongs to the one that is current when it starts.
  const runId = present(env["AICR_RUN_ID"]) ?? change?.currentRun() ?? localRunId;
  const isForPass = runId !== localRunId;
  const socket = present(env["AICR_RESOLVER"]);
  const resolver = socket === undefined ? undefined : createResolverClient({ path: socket, runId });
  return {
    state: (path) => createReportState(path, runId),
    toolSet: (statePath, state) => ({
      ...createReportTools({
        state,
        names,
        version,
        ...(change === undefined ? {} : { change }),
        ...(resolver === undefined ? {} : { resolver }),
      }),
      // A server that belongs to no pass has nobody who wants to know.
      ...(isForPass && {
        onClient(client, step) {
          // The mark belongs to the current pass, as the state does.
          if (change?.standing(runId).kind === "refused") return;
          markConnected(statePath, { runId, client, hasListed: step === "listed" });
        },
      }),
    }),
  };
}

function readFlags(argv: readonly string[]) {
  const options = { ...commonOptions, names: { type: "string" } } as const;
  return rules.orRefuse(() => parseArgs({ args: [...argv], options }).values);
}

function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
