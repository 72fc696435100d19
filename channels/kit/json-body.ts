// Reads a JSON body under a cap: what is too large is refused before it is held in memory.
import { errorAnswer } from "./answers.ts";
import { readAtMost } from "./raw-body.ts";

export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly answer: Response };

/** @param maxBytes most bytes the body may have; reading stops at the first byte over it. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<JsonBody> {
  const mediaType = (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    return refuse(415, "unsupported", "The body is not JSON.", "Send it with Content-Type: application/json.");
  }
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > maxBytes) return tooLarge(maxBytes);
  const bytes = await readAtMost(request, maxBytes);
  if (bytes === null) return tooLarge(maxBytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return refuse(400, "bad_request", "The body cannot be read as JSON.", "Send one JSON object in UTF-8.");
  }
}

function tooLarge(maxBytes: number): JsonBody {
  const kib = Math.floor(maxBytes / 1024);
  return refuse(413, "too_large", `The body has more than ${kib} KiB.`, "Send less text.");
}

function refuse(status: number, code: string, message: string, remedy: string): JsonBody {
  return { ok: false, answer: errorAnswer(status, { code, message, remedy }) };
}
