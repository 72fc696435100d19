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

/** The process's own terminal; SIGINT or SIGTERM aborts the signal, and a second one of either ends the process at once. */
export function createProcessIo(): CommandIo {
  const abort = new AbortController();
  const names = ["SIGINT", "SIGTERM"] as const;
  const onSignal = (name: NodeJS.Signals): void => {
    for (const one of names) process.off(one, onSignal);
    abort.abort(name);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    // A terminal without a size says 0.
    columns: process.stdout.columns || 80,
    signal: abort.signal,
  };
}
