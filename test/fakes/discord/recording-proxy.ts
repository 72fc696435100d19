// Stands before a peer's REST interface, passes everything on, and keeps what was said with its ids and tokens replaced.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
}

export interface RecordingProxy {
  /** For the `api_url` setting. */
  readonly apiUrl: string;
  /** Everything that was asked so far, in order; ids are `<id 1>`, `<id 2>`, …, each the same everywhere. */
  record(): readonly RecordedCall[];
  close(): Promise<void>;
}

/** @param target the peer's address, without the version. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls: RecordedCall[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks);
      const path = (request.url ?? "/").replace(/^\/api/, "");
      const { authorization, "content-type": contentType, "user-agent": userAgent } = request.headers;
      const answer = await fetch(target + path, {
        method: request.method ?? "GET",
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(contentType === undefined ? {} : { "content-type": contentType }),
          ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
        },
        ...(raw.length === 0 ? {} : { body: raw }),
      });
      const isJson = contentType?.startsWith("application/json") === true;
      calls.push({
        method: request.method ?? "GET",
        path: path.replace(/^\/v10/, ""),
        ...(isJson ? { body: JSON.parse(raw.toString("utf8")) } : {}),
        status: answer.status,
      });
      const text = await answer.text();
      const type = answer.headers.get("content-type");
      response.writeHead(answer.status, text === "" || type === null ? {} : { "content-type": type });
      response.end(text);
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api`,
    record: () => withoutSecrets(calls),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function withoutSecrets(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const ids = new Map<string, string>();
  const text = JSON.stringify(calls)
    .replace(/(\/(?:interactions\/\d+|webhooks\/\d+)\/)[^/"?]+/g, "$1<token>")
    .replace(/("nonce":")[^"]+/g, "$1<nonce>")
    .replace(/\b\d{17,20}\b/g, (id) => {
      const name = ids.get(id) ?? `<id ${ids.size + 1}>`;
      ids.set(id, name);
      return name;
    });
  return JSON.parse(text) as readonly RecordedCall[];
}
