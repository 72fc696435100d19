// Runs inside a sandbox: starts the agent, hands its signals on, and carries bytes between 127.0.0.1 and the model's socket.
import { spawn } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { constants } from "node:os";
import { parseArgs } from "node:util";

/** What shells say when the program cannot be found or started. */
const CANNOT_START = 127;
/** Longer than a timer holds. */
const MAX_SECONDS = 2_000_000;

/** @returns the program's exit code, or 128 and the signal's number. */
export async function runRelay(argv: readonly string[]): Promise<number> {
  const split = argv.indexOf("--");
  const [program, ...args] = split === -1 ? [] : argv.slice(split + 1);
  const { values } = parseArgs({
    args: argv.slice(0, split === -1 ? argv.length : split),
    options: { socket: { type: "string" }, port: { type: "string" }, seconds: { type: "string" } },
  });
  if (program === undefined) {
    process.stderr.write(
      "usage: sandbox-relay [--socket <path> --port <n>] [--seconds <n>] -- <program> [arguments]\n",
    );
    return 2;
  }
  // It listens before the agent begins, so that its first request finds it.
  const server = values.socket === undefined ? null : await listen(values.socket, Number(values.port));
  const code = await runProgram(program, args, values.seconds === undefined ? null : Number(values.seconds));
  server?.close();
  return code;
}

/** Carries each connection to the socket, byte by byte; what the bytes mean is the proxy's business. */
export async function listen(socketPath: string, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: socketPath, allowHalfOpen: true });
    join(near, far);
    join(far, near);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  // The agent alone decides how long the sandbox lives.
  server.unref();
  return server;
}

function join(from: Socket, to: Socket): void {
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroySoon());
  from.pipe(to);
}

/** @param seconds after which it is killed: somebody outside does it sooner, unless that somebody has died. */
function runProgram(program: string, args: readonly string[], seconds: number | null): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit" });
    if (seconds !== null) setTimeout(() => child.kill("SIGKILL"), Math.min(seconds, MAX_SECONDS) * 1_000).unref();
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.once("error", (fault) => {
      process.stderr.write(`${program} cannot be started: ${fault.message}\n`);
      resolve(CANNOT_START);
    });
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
