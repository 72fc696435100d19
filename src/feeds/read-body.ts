// Reads the body of a push under two caps: one for each body, and one for all that are held at once.
import { plainError } from "../../channels/kit/answers.ts";
import type { PlainAnswer, PlainRequest } from "../../channels/kit/plain.ts";

/** GitHub's webhooks have at most 25 MB; others need far less, bytes. */
export const MAX_BODY_BYTES = 26_214_400;

export interface BodyReader {
  /** Reads the whole body and passes it to `use`, or gives the answer that refuses it. Throws only what `use` throws. */
  read(request: PlainRequest, use: (bytes: Buffer) => Promise<PlainAnswer>): Promise<PlainAnswer>;
}

/** Counts bytes against the caps; the answer that refuses them, or null. */
type Claim = (bytes: number) => PlainAnswer | null;

/**
 * @param maxBytes most bytes of one body.
 * @param maxHeldBytes most bytes of all bodies at once: strangers can make us hold bytes before any proof is checked.
 */
export function createBodyReader(maxBytes = MAX_BODY_BYTES, maxHeldBytes = 4 * MAX_BODY_BYTES): BodyReader {
  let held = 0;

  return {
    async read(request, use) {
      let own = 0;
      const claim: Claim = (bytes) => {
        if (!(own + bytes <= maxBytes)) return tooLarge(maxBytes);
        if (held + bytes > maxHeldBytes) return busy();
        own += bytes;
        held += bytes;
        return null;
      };
      try {
        const declared = request.headers.get("content-length");
        const body = await (declared === null
          ? readChunks(request, claim)
          : readDeclared(request, Number(declared), claim));
        return Buffer.isBuffer(body) ? await use(body) : body;
      } finally {
        held -= own;
      }
    },
  };
}

/** Each byte is copied once, to where it stays. */
async function readDeclared({ readBody }: PlainRequest, length: number, claim: Claim): Promise<Buffer | PlainAnswer> {
  const refused = claim(length);
  if (refused !== null) return refused;
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  try {
    await readBody((chunk) => {
      const fits = filled + chunk.byteLength <= length;
      if (fits) bytes.set(chunk, filled);
      filled += chunk.byteLength;
      return fits;
    });
  } catch {
    return incomplete();
  }
  return filled === length ? bytes : incomplete();
}

async function readChunks({ readBody }: PlainRequest, claim: Claim): Promise<Buffer | PlainAnswer> {
  const chunks: Uint8Array[] = [];
  let refused: PlainAnswer | null = null;
  try {
    await readBody((chunk) => {
      refused = claim(chunk.byteLength);
      if (refused === null) chunks.push(chunk);
      return refused === null;
    });
  } catch {
    return incomplete();
  }
  return refused ?? Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): PlainAnswer {
  const message = `The body has more than ${Math.floor(maxBytes / 1024)} KiB.`;
  return plainError(
    413,
    { code: "too_large", message, remedy: "Push less at once; polling finds what was pushed." },
    { connection: "close" },
  );
}

function busy(): PlainAnswer {
  return plainError(
    503,
    { code: "unavailable", message: "Too many large requests at once.", remedy: "Send it again a little later." },
    { "retry-after": "5", connection: "close" },
  );
}

function incomplete(): PlainAnswer {
  return plainError(
    400,
    { code: "bad_request", message: "The body did not arrive whole.", remedy: "Send it again." },
    { connection: "close" },
  );
}
