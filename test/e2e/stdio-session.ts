// A bare JSON-RPC client over a child's stdio, for tests that kill the child at any moment.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const outputServer = fileURLToPath(new URL("../../dist/mcp-output.mjs", import.meta.url));

export interface Reply {
  readonly id: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
    readonly content?: readonly { readonly text?: string }[];
  };
  readonly error?: { readonly message: string };
}

export interface StdioSession {
  readonly child: ChildProcess;
  /** Sends a tool call without waiting; `onReply` hears of every answer. */
  send(id: number, name: string, input: object): void;
  /** Sends a line as it is. */
  raw(line: string): void;
  onReply: (reply: Reply) => void;
  /** Sends a call and waits for its answer. */
  call(id: number, name: string, input: object): Promise<Reply>;
  /** SIGKILL; resolves once the process is gone. */
  kill(): Promise<void>;
}

/** Starts the server and initialises it. */
export async function openSession(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, outputServer],
): Promise<StdioSession> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { PATH: process.env["PATH"], ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (reply: Reply) => void>();
  child.stdin.on("error", () => {});
  const raw = (line: string) => void child.stdin.write(`${line}\n`);
  const session: StdioSession = {
    child,
    raw,
    onReply: () => {},
    send: (id, name, input) =>
      raw(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } })),
    call(id, name, input) {
      const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      session.send(id, name, input);
      return reply;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
    session.onReply(reply);
  });
  const ready = new Promise<Reply>((resolve, reject) => {
    waiting.set(0, resolve);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code} before it answered.`)));
  });
  raw(
    JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "drill", version: "1" } },
    }),
  );
  await ready;
  return session;
}
