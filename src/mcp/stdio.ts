// Serves a ToolSet over stdin and stdout until stdin ends.
import type { Readable, Writable } from "node:stream";
import type { ToolSet } from "../ports/tool.ts";
import { createMcpServer } from "./server.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export interface StdioOptions {
  /** Default: the process's own. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Longest message, bytes. Default 16 MiB: a call with 10 MB of arguments is still answered by name. */
  readonly maxMessageBytes?: number;
  /** How long calls that are still open when stdin ends may take to finish, ms. Default 5,000. */
  readonly graceMs?: number;
}

/**
 * Serves one session. Resolves when the client has closed stdin and what it asked before has been answered (or when stdout is
 * gone): a server that outlives its client is an orphan, so the caller then exits.
 */
export async function serveStdio(toolSet: ToolSet, options: StdioOptions = {}): Promise<void> {
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  const transport = createStdioTransport(stdin, stdout, options.maxMessageBytes ?? 16 * 1024 * 1024);
  const server = createMcpServer(toolSet);
  const inputEnded = once(stdin, ["end", "close", "error"]);
  const outputGone = once(stdout, ["close", "error"]);
  await server.connect(transport);
  await Promise.race([inputEnded, outputGone]);
  // Data already read is dispatched in this tick's microtasks; answers may take longer.
  const grace = pause(options.graceMs ?? 5_000);
  await Promise.race([transport.settled(), outputGone, grace.over]);
  grace.end();
  await server.close();
}

function once(stream: Readable | Writable, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) stream.once(event, () => resolve());
  });
}

function pause(ms: number): { readonly over: Promise<void>; end(): void } {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    end = () => clearTimeout(timer);
  });
  return { over, end };
}
