// Starts the built product as a person would: commands that end, and servers that print their address.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const bundle = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.mjs`, import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the command reads; default: nothing. */
  readonly input?: string;
}

/** Runs `aicr-bot` with the arguments to its end, in pipes. */
export async function runCommand(args: readonly string[], { cwd, env, input }: RunOptions): Promise<Ended> {
  const child = spawn(process.execPath, [bundle("cli"), ...args], { cwd, env: environment(env), stdio: "pipe" });
  const output = collect(child);
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

export interface RunningServer {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** SIGKILL, for the end of a test. */
  kill(): Promise<void>;
}

/** Starts the server and waits for the address that it prints. Rejects with what it said when it ends before. */
export async function startProduct(args: readonly string[], { cwd, env }: RunOptions): Promise<RunningServer> {
  const child = spawn(process.execPath, [bundle("main"), ...args], { cwd, env: environment(env), stdio: "pipe" });
  child.stdin.end();
  const output = collect(child);
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const address = /http:\/\/\S+/.exec(output.stdout)?.[0];
      // The whole greeting is there once its last line is.
      if (address !== undefined && output.stdout.includes("Stop with")) resolve(address);
    };
    child.stdout.on("data", look);
    ended.then((code) => reject(new Error(`ended with ${code}: ${output.stdout}${output.stderr}`)), reject);
  });
  return {
    child,
    url,
    output,
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Nothing of the machine's own settings but what programs need to be found. */
function environment(env: RunOptions["env"]): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", ...env };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return output;
}
