// What the HTTP server is made from: its address, its limits, and who answers behind it.
import type { PlainAnswer, PlainRequest } from "../../channels/kit/plain.ts";
import type { Logger } from "../ports/logger.ts";

/** What a channel shows to the server. */
export interface WebRoutes {
  readonly name: string;
  /** Path patterns: a fixed path, `:name` for one segment, `*` at the end for the rest. */
  readonly routes: readonly string[];
  webhook(request: Request): Promise<Response>;
}

/** What a feed shows to the server: it takes large bodies, and many of them. */
export interface PlainRoutes {
  readonly name: string;
  /** Fixed paths. */
  readonly routes: readonly string[];
  receive(request: PlainRequest): Promise<PlainAnswer>;
}

export type RouteOwner = WebRoutes | PlainRoutes;

export interface PageAsset {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** A strong entity tag, quotes included. */
  readonly etag: string;
}

export interface Readiness {
  readonly ok: boolean;
  /** Plain data shown in the answer of `/readyz`; no secrets. */
  readonly detail: unknown;
}

export interface HttpLimits {
  /** Largest declared body, bytes; GitHub's webhooks reach 25 MB. Channels cap what they read by themselves. */
  readonly maxBodyBytes: number;
  /** Time for a request's headers to arrive, ms. */
  readonly headersMs: number;
  /** Time for a whole request to arrive, ms. */
  readonly requestMs: number;
  /** Time for the answer to begin, ms; longer than `requestMs`, so that a slow sender is told that it was slow. */
  readonly answerMs: number;
  /** Time that running requests get when the server closes, ms. */
  readonly graceMs: number;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Host names beside the loopback ones and `host` under which people and platforms reach the server. */
  readonly allowedHosts?: readonly string[];
  /** The public address where a proxy stands in front; its host name and its origin are allowed. */
  readonly publicUrl?: string;
  readonly channels: readonly RouteOwner[];
  readonly readiness: () => Promise<Readiness>;
  /** A file of the chat page by its path (`/`, `/style.css`); null where there is none. */
  readonly asset: (path: string) => Promise<PageAsset | null>;
  readonly logger: Logger;
  readonly limits?: Partial<HttpLimits>;
}
