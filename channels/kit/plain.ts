// Requests and answers without the Web's objects, for routes whose large bodies arrive so often that these would cost as much as the work.
import type { Peer } from "./peer.ts";

/** Headers by their names in lower case; what was sent several times is joined by commas. */
export interface HeaderView {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface PlainRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly headers: HeaderView;
  readonly peer: Peer;
  /**
   * Hands over the body, chunk by chunk, until its end or until `take` wants no more. Nothing is read before.
   * Rejects when the body breaks off.
   */
  readBody(take: (chunk: Uint8Array) => boolean): Promise<void>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
