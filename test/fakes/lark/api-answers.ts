// How the platform's API answers: codes with their HTTP status, and bodies whose every field it knows.
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function done(data: Readonly<Record<string, unknown>> = {}): ApiAnswer {
  return { status: 200, body: { code: 0, msg: "success", data } };
}

export function refused(
  code: number,
  msg: string,
  status = 400,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  return { status, body: { code, msg, error: { log_id: "fake" } }, headers };
}

export function send(response: ServerResponse, { status, body, headers = {} }: ApiAnswer): void {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}

/** The value, or the refusal of what the platform does not know: the real one is more lenient, a test must not be. */
export function readStrictly<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly ok: true; readonly value: z.output<Schema> } | { readonly ok: false; readonly answer: ApiAnswer } {
  const read = schema.safeParse(value);
  if (read.success) return { ok: true, value: read.data };
  return { ok: false, answer: refused(230001, `invalid request, ext=${z.prettifyError(read.error)}`) };
}

export async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** A rolling window of calls: true when one more is within the limit. */
export function createWindow(most: number, ms: number): (name: string, now: number) => boolean {
  const calls = new Map<string, number[]>();
  return (name, now) => {
    const recent = (calls.get(name) ?? []).filter((at) => at > now - ms);
    const isWithin = recent.length < most;
    if (isWithin) recent.push(now);
    calls.set(name, recent);
    return isWithin;
  };
}
