// Makes an agent of an adapter: sandbox, way to the model, tool servers, prompt, one run, and what the run's manifest says of it.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { AppError } from "../core/errors.ts";
import type { Agent, AgentPass, PassResult } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { Sandbox, SandboxExit, SandboxLimits, SandboxView } from "../ports/sandbox.ts";
import { type ConnectionMark, readConnection } from "../report-tools/connection-mark.ts";
import { serverName } from "../report-tools/names.ts";
import type { Adapter, AdapterModel, Invocation, StreamFindings, ToolServer } from "./adapter.ts";
import { closingText } from "./closing-text.ts";
import { recordPass } from "./manifest.ts";
import type { ModelEndpoint } from "./model/settings.ts";
import { type ModelProxy, startModelProxy } from "./proxy/proxy.ts";
import type { ProxyBudget, ProxyUsage } from "./proxy/spending.ts";
import { verdict } from "./verdict.ts";

export interface AdapterAgentParts {
  /** As the configuration names the agent. */
  readonly name: string;
  readonly adapter: Adapter;
  readonly sandbox: () => Promise<Sandbox>;
  /** Absolute path of the bundle `mcp-output`. */
  readonly toolServer: string;
  /** What the tool servers run from, see `productFiles`. */
  readonly programs: readonly string[];
  /** Tool servers beside `aicr-output`, for this pass. */
  readonly moreServers?: (pass: AgentPass, view: SandboxView) => readonly ToolServer[];
  readonly prompt: (pass: AgentPass, view: SandboxView) => Promise<string>;
  readonly endpoint?: ModelEndpoint;
  /** Of all requests of a pass to the model. */
  readonly budget?: ProxyBudget;
  readonly limits: SandboxLimits;
  readonly idleMs: number;
  readonly maxOutputBytes: number;
  readonly turns?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
}

/** What stands where an agent's program demands a key. */
const PLACEHOLDER_KEY = "aicr-placeholder";

export function createAdapterAgent(parts: AdapterAgentParts): Agent {
  const { adapter, clock } = parts;

  return {
    name: parts.name,
    repairable: true,
    async run(pass, signal) {
      const started = { at: clock.now(), monotonic: clock.monotonic() };
      const sandbox = await parts.sandbox();
      const proxy = await openProxy(sandbox);
      try {
        const view = sandbox.view({
          paths: pass.paths,
          programs: [...parts.programs, ...adapter.programs],
          ...(pass.resolver === undefined ? {} : { resolver: pass.resolver }),
          ...(proxy?.socketPath === undefined ? {} : { modelSocket: proxy.socketPath }),
        });
        const home = await makeHome(pass, view);
        const invocation = await prepare(pass, view, home, proxy);
        const reading = adapter.read?.((note) => pass.onProgress?.(note));
        const exit = await sandbox.run(
          {
            argv: invocation.argv,
            cwd: view.paths.agent,
            env: { ...invocation.env, ...environment(sandbox, view, home.inside) },
            ...(invocation.stdin === undefined ? {} : { stdin: invocation.stdin }),
            deadlineMs: pass.deadlineMs - (clock.monotonic() - started.monotonic),
            idleMs: parts.idleMs,
            maxOutputBytes: parts.maxOutputBytes,
            limits: parts.limits,
            view,
            ...(reading === undefined ? {} : { onStdout: (chunk: Buffer) => reading.add(chunk) }),
          },
          signal,
        );
        const findings = reading?.end() ?? { finalText: closingText(exit.stdout) };
        const usage = proxy?.usage();
        const connection = readConnection(pass.paths.state, pass.runId);
        const result = verdict({
          exit,
          findings,
          usage,
          idleMs: parts.idleMs,
          isConnected: isConnected(connection, pass) || adapter.capabilities.tools === "none",
          redactor: parts.redactor,
        });
        record(pass, sandbox, started, exit, findings, connection, usage, result);
        return result;
      } finally {
        await proxy?.close();
      }
    },
  };

  async function openProxy(sandbox: Sandbox): Promise<ModelProxy | null> {
    const { endpoint, budget, redactor, logger } = parts;
    if (endpoint === undefined) return null;
    if (!adapter.capabilities.endpoints.includes(endpoint.kind)) {
      throw new AppError("config", `The agent ${parts.name} does not speak to ${endpoint.kind} endpoints.`, {
        remedy: `Give it a model of kind ${adapter.capabilities.endpoints.join(" or ") || "none"}.`,
      });
    }
    const listen = sandbox.capabilities.isIsolated ? "socket" : "loopback";
    return startModelProxy({
      listen,
      endpoints: [endpoint],
      redactor,
      clock,
      logger,
      ...(budget === undefined ? {} : { budget }),
    });
  }

  async function prepare(
    pass: AgentPass,
    view: SandboxView,
    home: Home,
    proxy: ModelProxy | null,
  ): Promise<Invocation> {
    const { endpoint } = parts;
    const origin = proxy?.origin ?? view.modelOrigin;
    const model: AdapterModel | null =
      endpoint === undefined || origin === undefined
        ? null
        : {
            kind: endpoint.kind,
            id: endpoint.model,
            origin,
            placeholderKey: PLACEHOLDER_KEY,
            contextTokens: endpoint.contextTokens,
            maxOutputTokens: endpoint.maxOutputTokens,
          };
    return adapter.prepare({
      pass,
      view,
      home: home.inside,
      write: (path, text) => home.write(path, text),
      prompt: parts.redactor.redact(await parts.prompt(pass, view)),
      servers: [outputServer(pass, view), ...(parts.moreServers?.(pass, view) ?? [])],
      ...(model === null ? {} : { model }),
      ...(parts.turns === undefined ? {} : { turns: parts.turns }),
    });
  }

  function outputServer(pass: AgentPass, view: SandboxView): ToolServer {
    return {
      name: serverName,
      command: process.execPath,
      args: [parts.toolServer, "--names", adapter.capabilities.names],
      env: {
        AICR_CHANGE_PATH: view.paths.change,
        AICR_RUN_ID: pass.runId,
        AICR_OUTPUT_STATE_PATH: view.paths.state,
        ...(view.resolver === undefined ? {} : { AICR_RESOLVER: view.resolver }),
      },
    };
  }

  function record(
    pass: AgentPass,
    sandbox: Sandbox,
    started: { readonly at: number; readonly monotonic: number },
    exit: SandboxExit,
    findings: StreamFindings,
    connection: ConnectionMark | null,
    usage: ProxyUsage | undefined,
    result: PassResult,
  ): void {
    const version = findings.version ?? adapter.version;
    const { backend, isIsolated, enforces } = sandbox.capabilities;
    const costs = usage ?? findings.usage;
    try {
      recordPass(pass.paths.root, {
        runId: pass.runId,
        kind: pass.kind,
        agent: { name: parts.name, kind: adapter.kind, ...(version === undefined ? {} : { version }) },
        ...(parts.endpoint === undefined ? {} : { model: parts.endpoint.model }),
        sandbox: { backend, isIsolated, enforces },
        unmet: unmet(sandbox),
        tools: {
          isConnected: isConnected(connection, pass),
          ...(connection === null ? {} : { client: parts.redactor.redact(connection.client) }),
          seen: findings.toolsSeen ?? {},
        },
        startedAt: new Date(started.at).toISOString(),
        ms: Math.round(clock.monotonic() - started.monotonic),
        exit: { reason: exit.reason, code: exit.code, verdict: result.exit },
        ...(costs === undefined ? {} : { usage: { ...costs } }),
      });
    } catch (thrown) {
      parts.logger.warn("manifest.unwritable", { run: pass.runId, error: thrown });
    }
  }

  function unmet(sandbox: Sandbox): string[] {
    const { capabilities } = adapter;
    const limits = Object.entries(sandbox.capabilities.enforces).flatMap(([limit, how]) =>
      how === "none" ? [`${sandbox.name} does not enforce: ${limit}`] : [],
    );
    const wanted: readonly (readonly [boolean, string])[] = [
      [capabilities.tools !== "none", "the agent cannot reach the tool servers"],
      [parts.turns === undefined || capabilities.boundsTurns, "the agent does not bound its turns"],
      [capabilities.isDisarmable, "the agent's own tools for running, writing and fetching cannot be turned off"],
      [capabilities.ignoresRepositorySettings, "the agent may read settings of the repository"],
      [capabilities.isQuiet, "the agent's telemetry cannot be turned off"],
      [capabilities.tellsTools, "the agent does not tell which tools it calls"],
      [parts.endpoint !== undefined || capabilities.tellsUsage, "nobody tells how many tokens were used"],
    ];
    return [...limits, ...wanted.flatMap(([isMet, text]) => (isMet ? [] : [text]))];
  }
}

/** A client that asked for no list may still have called: the state file tells. */
function isConnected(connection: ConnectionMark | null, pass: AgentPass): boolean {
  return connection?.hasListed === true || existsSync(pass.paths.state);
}

interface Home {
  readonly inside: string;
  write(path: string, text: string): Promise<string>;
}

/**
 * A HOME of this pass alone, under a name that nobody could know before: an agent of an earlier pass has written in the same
 * folder and may have left links where ours would be written.
 */
async function makeHome(pass: AgentPass, view: SandboxView): Promise<Home> {
  const host = await mkdtemp(join(pass.paths.tmp, "home-"));
  const inside = posix.join(view.paths.tmp, basename(host));
  return {
    inside,
    async write(path, text) {
      await mkdir(dirname(join(host, path)), { recursive: true });
      await writeFile(join(host, path), text, { flag: "wx" });
      return posix.join(inside, path);
    },
  };
}

function environment(sandbox: Sandbox, view: SandboxView, home: string): Readonly<Record<string, string>> {
  const standard = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const path = sandbox.capabilities.isIsolated ? standard : (process.env["PATH"] ?? standard);
  return {
    PATH: `${dirname(process.execPath)}:${path}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: view.paths.tmp,
  };
}
