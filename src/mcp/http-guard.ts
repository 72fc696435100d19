// Decides whether an HTTP request may reach the MCP server: Host and Origin against DNS rebinding, and the bearer token.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface GuardOptions {
  /** The address the server listens on. */
  readonly host: string;
  /** Further host names (without port) that clients may use in `Host`. */
  readonly allowedHosts?: readonly string[];
  /** Further origins (`https://tools.example.org`) whose pages may call; those of loopback pages are always allowed. */
  readonly allowedOrigins?: readonly string[];
  /** When set, every request needs `Authorization: Bearer <token>`. */
  readonly bearerToken?: string;
}

export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly status: 401 | 403; readonly reason: string };

const loopbackNames = ["127.0.0.1", "localhost", "::1"];

/** Makes the check that every request passes first; it looks at headers alone. */
export function createGuard(options: GuardOptions): (headers: IncomingHttpHeaders) => Verdict {
  const hosts = new Set([...loopbackNames, options.host, ...(options.allowedHosts ?? [])].map((name) => bare(name)));
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  const expected = options.bearerToken === undefined ? null : digest(options.bearerToken.trim());

  return (headers) => {
    const host = hostName(headers.host ?? "");
    if (host === null || !hosts.has(host)) return refuse(403, "The Host header names no host of this server.");
    const { origin } = headers;
    if (origin !== undefined && !isAllowedOrigin(origin)) {
      return refuse(403, "Pages of this Origin may not call this server.");
    }
    if (expected !== null && !timingSafeEqual(digest(bearer(headers.authorization)), expected)) {
      return refuse(401, "A valid bearer token is needed.");
    }
    return { allowed: true };
  };

  function isAllowedOrigin(origin: string): boolean {
    if (origins.has(origin.toLowerCase())) return true;
    // `null` (sandboxed frames, files) is not a URL and is refused.
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    return (url.protocol === "http:" || url.protocol === "https:") && isLoopback(url.hostname);
  }
}

/** Whether only programs of this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return loopbackNames.includes(name) || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function refuse(status: 401 | 403, reason: string): Verdict {
  return { allowed: false, status, reason };
}

/** `Host` without its port; null when it is no host at all. */
function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/i.exec(header);
  return match === null ? null : bare(match[1] ?? "");
}

function bare(name: string): string {
  return name.toLowerCase().replace(/^\[|\]$/g, "");
}

function bearer(header: string | undefined): string {
  return /^Bearer /i.test(header ?? "") ? (header ?? "").slice("Bearer ".length).trim() : "";
}

/** Digests have one length, so that comparing them tells nothing about the token's. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
