// The long connection through the environment's proxy, as HTTP calls go: the SDK's socket knows no proxy by itself.
import { Agent, request } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { isLoopback } from "./http.ts";

export type ReadEnvironment = (name: string) => string | undefined;

/** How Node asks an agent for a connection. */
interface ConnectionFacts {
  readonly host: string;
  readonly port: number | string;
  /** 443 where the connection is to be encrypted. */
  readonly defaultPort?: number;
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** How long a proxy may take to connect, ms. */
const CONNECT_MS = 15_000;

/**
 * Undefined where the environment names no proxy. `HTTPS_PROXY` is for encrypted connections and `HTTP_PROXY` for others,
 * `NO_PROXY` lists hosts that are reached directly; small letters come first. Only proxies that are spoken to in HTTP.
 */
export function createProxyAgent(env: ReadEnvironment): Agent | undefined {
  const secureProxy = proxyOf(env, "HTTPS_PROXY");
  const plainProxy = proxyOf(env, "HTTP_PROXY");
  if (secureProxy === undefined && plainProxy === undefined) return undefined;
  const excluded = (read(env, "NO_PROXY") ?? "").split(/[\s,]+/).filter((entry) => entry !== "");

  function createConnection({ host, port, defaultPort }: ConnectionFacts, connected: Connected): Socket | undefined {
    const isSecure = defaultPort === 443;
    const proxy = isSecure ? secureProxy : plainProxy;
    const secured = (facts: { readonly port: number } | { readonly socket: Duplex }): Socket =>
      connectTls({ host, ...facts, servername: isIP(host) === 0 ? host : "" });
    if (proxy === undefined || isLoopback(host) || excluded.some((entry) => covers(entry, host, Number(port)))) {
      return isSecure ? secured({ port: Number(port) }) : connectPlain({ host, port: Number(port) });
    }
    tunnel(proxy, `${host}:${port}`, (error, socket) => {
      if (error !== null || socket === undefined) connected(error ?? new Error("the proxy gave no connection"));
      else connected(null, isSecure ? secured({ socket }) : socket);
    });
    return undefined;
  }

  // Without a protocol of its own, an agent serves encrypted connections and others.
  return Object.assign(new Agent(), { createConnection, protocol: undefined });
}

function tunnel(proxy: URL, target: string, connected: Connected): void {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const asking = request({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port === "" ? 80 : Number(proxy.port),
    method: "CONNECT",
    path: target,
    headers: {
      host: target,
      ...(proxy.username === ""
        ? {}
        : { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }),
    },
    timeout: CONNECT_MS,
    agent: false,
  });
  asking.on("connect", (answer, socket) => {
    if (answer.statusCode === 200) return connected(null, socket.setTimeout(0));
    socket.destroy();
    connected(new Error(`the proxy answers ${answer.statusCode}`));
  });
  asking.on("timeout", () => asking.destroy(new Error("the proxy does not answer")));
  // A proxy that answers as if it were a server makes no tunnel.
  asking.on("response", () => asking.destroy(new Error("the proxy makes no tunnel")));
  asking.on("error", (error) => connected(error));
  asking.end();
}

function proxyOf(env: ReadEnvironment, name: string): URL | undefined {
  const given = read(env, name);
  if (given === undefined || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  return url.protocol === "http:" ? url : undefined;
}

function read(env: ReadEnvironment, name: string): string | undefined {
  const value = env(name.toLowerCase()) ?? env(name);
  return value === "" ? undefined : value;
}

/** `*`, `example.com`, `.example.com`, each perhaps with a port: a name covers its own and those below it. */
function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (name === "" || (only !== undefined && Number(only) !== port)) return false;
  return host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`);
}
