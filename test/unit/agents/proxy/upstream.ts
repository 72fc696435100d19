// A provider's endpoint for tests of the proxy: keeps what it was asked, and answers what it is told to.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Upstream {
  readonly url: string;
  readonly asked: Asked[];
  answer: (response: ServerResponse, asked: Asked) => void;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const asked: Asked[] = [];
  const upstream: { -readonly [K in keyof Upstream]: Upstream[K] } = {
    url: "",
    asked,
    answer: (response) => json(response, {}),
    close: async () => undefined,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const one = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: text === "" ? null : JSON.parse(text),
      };
      asked.push(one);
      upstream.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The endpoint has no address.");
  upstream.url = `http://127.0.0.1:${address.port}`;
  upstream.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return upstream;
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function events(response: ServerResponse, list: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const one of list) response.write(`data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`);
  response.end();
}
