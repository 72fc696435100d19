// Tells a channel's webhook where its request came from: the HTTP server sets this header and drops what a peer put there.

/** `loopback`: a program of this machine that speaks to us directly; `remote`: anybody else, or through a proxy. */
export type Peer = "loopback" | "remote";

export const peerHeader = "x-aicr-peer";

export function peerOf(request: Request): Peer {
  return request.headers.get(peerHeader) === "loopback" ? "loopback" : "remote";
}
