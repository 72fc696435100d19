// Reads a body as the bytes that were sent, under a cap: signatures are made over these, and reading stops at the first byte too many.

/** Null when the body has more than `maxBytes`. Rejects when it breaks off. */
export async function readAtMost(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    total += value.byteLength;
    if (total > maxBytes) {
      // The rest is of no interest; not awaited, because a peer that sends for ever would never let it end.
      reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
}
