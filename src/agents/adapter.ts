// What sets one agent's command line apart from another's, as data and three functions; `adapter-agent.ts` does the rest.
import type { AgentPass, ToolEvent } from "../ports/agent.ts";
import type { SandboxView } from "../ports/sandbox.ts";
import type { NameForm } from "../report-tools/names.ts";
import type { ModelKind } from "./model/settings.ts";

/** What an agent's program can do. What is wanted and not here is written into the run's manifest. */
export interface AdapterCapabilities {
  /** How it reaches tool servers; without any it can report nothing. */
  readonly tools: "mcp-stdio" | "none";
  /** How the output server lists its tools to it. */
  readonly names: NameForm;
  /** Forms of a model's endpoint that it speaks; none: it brings its own model, or has none. */
  readonly endpoints: readonly ModelKind[];
  /** Whether its stream tells what tools it called. */
  readonly tellsTools: boolean;
  /** Whether its stream tells tokens. The proxy counts them anyway where there is one. */
  readonly tellsUsage: boolean;
  /** Whether it bounds its own turns. */
  readonly boundsTurns: boolean;
  /** Whether its own tools for running commands, writing files and fetching addresses can be turned off. */
  readonly isDisarmable: boolean;
  /** Whether instructions and settings of a reviewed repository can be kept from it altogether. */
  readonly ignoresRepositorySettings: boolean;
  /** Whether its telemetry and updates can be turned off. */
  readonly isQuiet: boolean;
}

/** A tool server as MCP clients start it; every path as the agent sees it. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The way to the model, as the agent sees it. */
export interface AdapterModel {
  readonly kind: ModelKind;
  /** The provider's id of the model. */
  readonly id: string;
  /** Without a version and without a slash at its end, such as `http://127.0.0.1:8642`. */
  readonly origin: string;
  /** What stands where a key is demanded: no key ever enters a sandbox. */
  readonly placeholderKey: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

export interface AdapterSetup {
  readonly pass: AgentPass;
  /** Every path that an argument, a variable or a configuration names comes from here. */
  readonly view: SandboxView;
  /** HOME of this pass as the agent sees it: fresh, its own and writable. */
  readonly home: string;
  /**
   * Writes a file into that HOME.
   *
   * @param path relative, POSIX.
   * @returns its path as the agent sees it.
   */
  write(path: string, text: string): Promise<string>;
  /** Secrets are masked already. */
  readonly prompt: string;
  readonly servers: readonly ToolServer[];
  readonly model?: AdapterModel;
  /** Turns that it may take, where it can bound them. */
  readonly turns?: number;
}

export interface Invocation {
  readonly argv: readonly [string, ...string[]];
  /** Added to PATH, HOME, LANG, TERM and TMPDIR; HOME is never overruled. */
  readonly env: Readonly<Record<string, string>>;
  /** Without it stdin is empty and closed. */
  readonly stdin?: string;
}

/** What an adapter makes of its agent's own stream. */
export interface StreamReading {
  add(chunk: Uint8Array): void;
  /** Called once the program has ended. */
  end(): StreamFindings;
}

export interface StreamFindings {
  readonly finalText?: string;
  /** In the order of the stream; executed only where no state file is. */
  readonly toolEvents?: readonly ToolEvent[];
  /** Names of tools as the agent spelled them, and how often. */
  readonly toolsSeen?: Readonly<Record<string, number>>;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly version?: string;
  /** What the agent itself calls the reason of its failure. */
  readonly fault?: string;
}

export interface Adapter {
  /** Of the program: `command`, `claude-code`, `codex`… */
  readonly kind: string;
  readonly capabilities: AdapterCapabilities;
  /** Programs that it starts, files or folders; what lies in the system's own folders need not be named. */
  readonly programs: readonly string[];
  /** Known beforehand, such as from its package. */
  readonly version?: string | undefined;
  /** Throws AppError when it cannot be prepared. */
  prepare(setup: AdapterSetup): Promise<Invocation>;
  /** Without it the end of stdout is taken for the closing text. */
  read?(onProgress: (note: string) => void): StreamReading;
}
