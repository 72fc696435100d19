// Reads the body of a push under two caps: one for each body, and one for all that are held at once.
import { errorAnswer } from "../../channels/kit/answers.ts";

/** GitHub's webhooks have at most 25 MB; others need far less, bytes. */
export const MAX_BODY_BYTES = 26_214_400;

export type Body = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly answer: Response };

export interface BodyReader {
  /** Reads the whole body and passes it to `use`, or gives the answer that refuses it. Throws only what `use` throws. */
  read(request: Request, use: (bytes: Buffer) => Promise<Response>): Promise<Response>;
}

/**
 * @param maxBytes most bytes of one body.
 * @param maxHeldBytes most bytes of all bodies at once: strangers can make us hold bytes before any proof is checked.
 */
export function createBodyReader(maxBytes = MAX_BODY_BYTES, maxHeldBytes = 4 * MAX_BODY_BYTES): BodyReader {
  let held = 0;

  async function readWhole(request: Request, claim: (bytes: number) => Response | null): Promise<Body> {
    const declared = request.headers.get("content-length");
    try {
      if (declared !== null) {
        const refused = claim(Number(declared));
        if (refused !== null) return { ok: false, answer: refused };
        return { ok: true, bytes: Buffer.from(await request.arrayBuffer()) };
      }
      const chunks: Uint8Array[] = [];
      const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) return { ok: true, bytes: Buffer.concat(chunks) };
        const refused = claim(part.value.byteLength);
        if (refused !== null) {
          // Not awaited: a peer that sends for ever would never let it end.
          reader?.cancel().catch(() => undefined);
          return { ok: false, answer: refused };
        }
        chunks.push(part.value);
      }
    } catch {
      return { ok: false, answer: incomplete() };
    }
  }

  return {
    async read(request, use) {
      let own = 0;
      const claim = (bytes: number): Response | null => {
        if (!(own + bytes <= maxBytes)) return tooLarge(maxBytes);
        if (held + bytes > maxHeldBytes) return busy();
        own += bytes;
        held += bytes;
        return null;
      };
      try {
        const body = await readWhole(request, claim);
        return body.ok ? await use(body.bytes) : body.answer;
      } finally {
        held -= own;
      }
    },
  };
}

function tooLarge(maxBytes: number): Response {
  const message = `The body has more than ${Math.floor(maxBytes / 1024)} KiB.`;
  return errorAnswer(
    413,
    { code: "too_large", message, remedy: "Push less at once; polling finds what was pushed." },
    { connection: "close" },
  );
}

function busy(): Response {
  return errorAnswer(
    503,
    { code: "unavailable", message: "Too many large requests at once.", remedy: "Send it again a little later." },
    { "retry-after": "5", connection: "close" },
  );
}

function incomplete(): Response {
  return errorAnswer(
    400,
    { code: "bad_request", message: "The body did not arrive whole.", remedy: "Send it again." },
    { connection: "close" },
  );
}
