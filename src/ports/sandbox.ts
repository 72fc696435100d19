// Where an agent process runs: natively, or behind a wall (later parts bring bubblewrap, podman and docker).

export interface SandboxCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Wall-clock limit, ms. */
  readonly deadlineMs: number;
  /** Most bytes kept of each of stdout and stderr. */
  readonly maxOutputBytes: number;
  readonly onStdout?: (chunk: Buffer) => void;
}

export interface SandboxExit {
  readonly reason: "exited" | "timeout" | "cancelled" | "output_exceeded" | "spawn_failed";
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface Sandbox {
  readonly name: string;
  run(command: SandboxCommand, signal: AbortSignal): Promise<SandboxExit>;
}
