// Reads a request body up to a cap, and writes JSON-RPC errors as HTTP answers.
import type { IncomingMessage, ServerResponse } from "node:http";

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "too_large" }
  | { readonly kind: "not_json" }
  | { readonly kind: "aborted" };

/** @param maxBytes most bytes that are held; the rest of a longer body is never read into memory. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return { kind: "too_large" };
  const chunks: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      held += chunk.length;
      if (held > maxBytes) return { kind: "too_large" };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "aborted" };
  }
  try {
    return { kind: "json", value: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch {
    return { kind: "not_json" };
  }
}

/** JSON-RPC codes of the answers that come before any message is dispatched. */
export const rpcCode = { parse: -32700, invalid: -32600, server: -32000, noSession: -32001 } as const;

/** Answers with a JSON-RPC error without id; does nothing when an answer was begun or the client is gone. */
export function sendRpcError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}
