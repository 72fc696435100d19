// What a command may touch of the terminal, so that tests can stand in for it.

export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  readonly signal: AbortSignal;
}

/** The process's own terminal; SIGINT and SIGTERM abort the signal. */
export function createProcessIo(): CommandIo {
  const abort = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => abort.abort(name));
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    signal: abort.signal,
  };
}
