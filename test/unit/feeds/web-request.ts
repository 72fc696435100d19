// Lets tests speak to a feed by the Web's requests and answers, which are the easiest to write and to watch.
import { toResponse } from "../../../channels/kit/answers.ts";
import { peerOf } from "../../../channels/kit/peer.ts";
import type { PlainAnswer, PlainRequest } from "../../../channels/kit/plain.ts";

export function plainRequest(request: Request): PlainRequest {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    headers: request.headers,
    peer: peerOf(request),
    async readBody(take) {
      const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) return;
        if (take(part.value)) continue;
        reader?.cancel().catch(() => undefined);
        return;
      }
    },
  };
}

export function viaWeb({
  receive,
}: {
  receive(request: PlainRequest): Promise<PlainAnswer>;
}): (request: Request) => Promise<Response> {
  return async (request) => toResponse(await receive(plainRequest(request)));
}
