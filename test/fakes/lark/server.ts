// One address of the platform on loopback: whatever parts of it a test needs, behind one HTTP server.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface PlatformPart {
  /** False when the request is for another part. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface LarkServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function listenLark(parts: readonly PlatformPart[]): Promise<LarkServer> {
  const server = createServer((request, response) => {
    if (parts.some((part) => part.handle(request, response))) return;
    response
      .writeHead(404, { "content-type": "application/json" })
      .end(JSON.stringify({ code: 404, msg: "no such path" }));
  });
  server.on("upgrade", (request, socket, head) => {
    const part = parts.find(({ upgrade }) => upgrade !== undefined);
    if (part?.upgrade === undefined) socket.destroy();
    else part.upgrade(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
