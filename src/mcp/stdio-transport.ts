// The stdio transport: one JSON-RPC message a line, answers to what cannot be read, and a count of calls still open.
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { createLineReader } from "./line-reader.ts";

/** JSON-RPC 2.0 error codes. */
const parseError = -32700;
const invalidRequest = -32600;

export interface StdioTransport extends Transport {
  /** Resolves once every request received so far has been answered. */
  settled(): Promise<void>;
}

/**
 * The SDK's own transport gives no answer to a malformed line and closes the connection on a long one. This one answers both
 * with a JSON-RPC error, so that one bad call never costs the calls beside it.
 *
 * @param maxMessageBytes longest line that is read; a longer one is answered with an error and dropped as it arrives.
 */
export function createStdioTransport(stdin: Readable, stdout: Writable, maxMessageBytes: number): StdioTransport {
  const open = new Set<string | number>();
  let whenSettled: (() => void)[] = [];
  const reader = createLineReader(maxMessageBytes, {
    onLine: (line) => receive(line),
    onOverflow: () =>
      refuse(invalidRequest, `A message may have at most ${maxMessageBytes} bytes; this one was dropped.`),
  });
  const onData = (chunk: Buffer) => reader.push(chunk);
  const onError = (error: Error) => transport.onerror?.(error);

  const transport: StdioTransport = {
    start() {
      stdin.on("data", onData);
      stdin.on("error", onError);
      stdout.on("error", onError);
      return Promise.resolve();
    },
    async send(message) {
      // A caller that wrote and waited would hang on a reader that died: a failed write is an error event, not a rejection.
      if (!stdout.write(`${JSON.stringify(message)}\n`)) await drained(stdout);
      if (!("method" in message) && message.id !== undefined) settle(message.id);
    },
    close() {
      stdin.off("data", onData);
      stdin.pause();
      open.clear();
      releaseIfSettled();
      transport.onclose?.();
      return Promise.resolve();
    },
    settled: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => whenSettled.push(resolve))),
  };
  return transport;

  function receive(line: string): void {
    if (line.trim() === "") return;
    const parsed = parse(line);
    if (parsed.kind === "bad") {
      refuse(parsed.code, parsed.reason, parsed.id);
      return;
    }
    const { message } = parsed;
    if ("method" in message && "id" in message) open.add(message.id);
    // A cancelled request is never answered.
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) settle(cancelled);
    transport.onmessage?.(message);
  }

  function refuse(code: number, message: string, id: string | number | null = null): void {
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }

  function settle(id: string | number): void {
    open.delete(id);
    releaseIfSettled();
  }

  function releaseIfSettled(): void {
    if (open.size > 0) return;
    const waiting = whenSettled;
    whenSettled = [];
    for (const resolve of waiting) resolve();
  }
}

type Parsed =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | { readonly kind: "bad"; readonly code: number; readonly reason: string; readonly id: string | number | null };

function parse(line: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "bad", code: parseError, reason: "The line is not JSON.", id: null };
  }
  const checked = JSONRPCMessageSchema.safeParse(value);
  if (checked.success) return { kind: "message", message: checked.data };
  return { kind: "bad", code: invalidRequest, reason: "The line is not a JSON-RPC 2.0 message.", id: idOf(value) };
}

/** The id of a message that is broken otherwise, so that its sender is not left waiting. */
function idOf(value: unknown): string | number | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" || typeof value.id === "number" ? value.id : null;
}

function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function drained(stdout: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stdout.off("drain", done);
      stdout.off("close", done);
      stdout.off("error", done);
      resolve();
    };
    stdout.once("drain", done);
    stdout.once("close", done);
    stdout.once("error", done);
  });
}
