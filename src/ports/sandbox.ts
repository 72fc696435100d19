// Where an agent process runs: natively, or behind the wall of bubblewrap, podman or docker.
import type { RunPaths } from "./agent.ts";

export type SandboxBackend = "native" | "bubblewrap" | "podman" | "docker";

/** What a run is bounded by. */
export type SandboxLimit = "wall" | "idle" | "output" | "memory" | "processes" | "files" | "network";

/**
 * How a bound holds: `hard` by the kernel or by us at the very byte, `watched` by looking several times a second (a fast offender
 * gets over it for a moment), `none` not at all.
 */
export type Enforcement = "hard" | "watched" | "none";

export interface SandboxCapabilities {
  readonly backend: SandboxBackend;
  /** Whether a wall stands between the agent and the machine's files and network. */
  readonly isIsolated: boolean;
  readonly enforces: Readonly<Record<SandboxLimit, Enforcement>>;
}

/** A file or folder of the machine that an agent sees; there are no others. */
export interface SandboxMount {
  readonly host: string;
  readonly inside: string;
  readonly isWritable: boolean;
}

/** What an agent is to see, in paths of the machine. */
export interface SandboxScope {
  readonly paths: RunPaths;
  /** The resolver's socket, which lies in a folder of its own. */
  readonly resolver?: string;
  /** The model proxy's socket, which lies in a folder of its own; without it no model can be reached from behind a wall. */
  readonly modelSocket?: string;
  /** Programs beside the system's, files or folders; read-only and at their own paths. */
  readonly programs?: readonly string[];
}

/** The same as the agent sees it: what its arguments, its environment and its configuration name. */
export interface SandboxView {
  readonly paths: RunPaths;
  /** Its HOME, in the run's writable `tmp`; whoever runs the agent makes it. */
  readonly home: string;
  readonly resolver?: string;
  /** `http://127.0.0.1:<port>` where the relay will answer; absent where the caller's own loopback address holds. */
  readonly modelOrigin?: string;
  readonly mounts: readonly SandboxMount[];
  /** The model's socket as the relay sees it, and where the relay listens. */
  readonly relay?: { readonly socket: string; readonly port: number };
}

export interface SandboxLimits {
  /** Memory of the whole tree, bytes. */
  readonly memoryBytes?: number;
  /** Processes of the whole tree, threads included where the kernel counts. */
  readonly processes?: number;
}

export interface SandboxCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Wall-clock limit, ms. */
  readonly deadlineMs: number;
  /** Time without a byte on stdout or stderr after which it counts as hung, ms. */
  readonly idleMs?: number;
  /** Most bytes kept of each of stdout and stderr; over it on stdout the tree is killed. */
  readonly maxOutputBytes: number;
  readonly limits?: SandboxLimits;
  /** What `view` gave; every backend but `native` demands it. */
  readonly view?: SandboxView;
  readonly onStdout?: (chunk: Buffer) => void;
}

export interface SandboxExit {
  readonly reason:
    | "exited"
    | "timeout"
    | "idle"
    | "cancelled"
    | "output_exceeded"
    | "memory_exceeded"
    | "processes_exceeded"
    | "spawn_failed";
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface Sandbox {
  readonly name: string;
  readonly capabilities: SandboxCapabilities;
  /** Translates what an agent is to see; touches nothing. */
  view(scope: SandboxScope): SandboxView;
  /** Runs a program to the end of its whole tree. Never rejects for what the program does. */
  run(command: SandboxCommand, signal: AbortSignal): Promise<SandboxExit>;
}
