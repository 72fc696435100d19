// Decides before anything is read whether a request may come in: whose host it names, which page sent it, how large it is.
import type { IncomingMessage } from "node:http";
import { errorAnswer } from "../../channels/kit/answers.ts";
import type { Peer } from "../../channels/kit/peer.ts";

export interface GateOptions {
  readonly host: string;
  readonly allowedHosts?: readonly string[];
  readonly publicUrl?: string;
  readonly maxBodyBytes: number;
}

export interface Gate {
  /** The answer that turns the request away, or null. */
  refusal(request: IncomingMessage): Response | null;
  peer(request: IncomingMessage): Peer;
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Addresses that bind every interface name no host that a browser could mean. */
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

export function createGate({ host, allowedHosts = [], publicUrl, maxBodyBytes }: GateOptions): Gate {
  const publicAddress = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...loopbackNames, ...allowedHosts.map((name) => name.toLowerCase())]);
  if (!wildcards.has(host)) names.add(host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase());
  if (publicAddress !== undefined) names.add(publicAddress.hostname);

  /** A page of ours has the origin that the request itself goes to, or the public one in front of a proxy. */
  function isOwnOrigin(origin: string, authority: URL): boolean {
    if (publicAddress !== undefined && origin === publicAddress.origin) return true;
    return URL.canParse(origin) && new URL(origin).host === authority.host;
  }

  function refusal(request: IncomingMessage): Response | null {
    const { headers } = request;
    const authority = hostOf(request);
    if (authority === null || !names.has(authority.hostname)) {
      return forbidden(
        "This server does not answer under that host name.",
        "Open it by its own address, or set server.public_url to the one in use.",
      );
    }
    const origin = headers.origin;
    if (origin !== undefined && !isOwnOrigin(origin, authority)) {
      return forbidden("Another site's page may not use this server.", "Open the chat at its own address.");
    }
    // Browsers tell of requests without an Origin too, such as images of a foreign page; following a link is fine.
    const isForeign = headers["sec-fetch-site"] === "cross-site" || headers["sec-fetch-site"] === "same-site";
    if (isForeign && headers["sec-fetch-mode"] !== "navigate") {
      return forbidden("Another site's page may not use this server.", "Open the chat at its own address.");
    }
    if ((headers["content-encoding"] ?? "identity") !== "identity") {
      const remedy = "Send the body as it is.";
      return errorAnswer(415, { code: "unsupported", message: "Compressed bodies are not accepted.", remedy });
    }
    if (Number(headers["content-length"] ?? 0) > maxBodyBytes) {
      const remedy = `Send at most ${Math.floor(maxBodyBytes / 1024)} KiB.`;
      const fault = { code: "too_large", message: "The body is too large.", remedy };
      return errorAnswer(413, fault, { connection: "close" });
    }
    return null;
  }

  return {
    refusal,
    peer(request) {
      // Behind a proxy every connection comes from this machine; most proxies tell so, or speak HTTP/1.0, but not all.
      if (publicAddress !== undefined && !loopbackNames.has(publicAddress.hostname)) return "remote";
      if (request.httpVersion !== "1.1") return "remote";
      const direct = proxyHeaders.every((name) => request.headers[name] === undefined);
      const authority = hostOf(request);
      const named = authority !== null && loopbackNames.has(authority.hostname);
      return direct && named && isLoopbackAddress(request.socket.remoteAddress) ? "loopback" : "remote";
    },
  };
}

function hostOf(request: IncomingMessage): URL | null {
  const { host } = request.headers;
  if (host === undefined || !/^[0-9a-z.:[\]_-]+$/i.test(host)) return null;
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}

function forbidden(message: string, remedy: string): Response {
  return errorAnswer(403, { code: "forbidden", message, remedy });
}
