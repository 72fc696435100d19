// Reads the hexadecimal HMAC-SHA256 that most hosts sign their webhooks with.
import { hmac, sameText } from "../constant-time.ts";
import type { Proof, SignedBody } from "./git-host.ts";

/**
 * A proof by a signature of the body; null unless the header is exactly the prefix and 64 hexadecimal digits. A header
 * that was sent twice arrives joined by a comma, which is none.
 */
export function hexSignature(
  header: string | null,
  prefix: "" | "sha256=",
  signed: (body: SignedBody) => Buffer | null,
): Proof | null {
  if (header === null || !header.startsWith(prefix)) return null;
  const given = header.slice(prefix.length);
  if (!/^[0-9a-f]{64}$/.test(given)) return null;
  return (secret, body) => {
    const bytes = signed(body);
    return bytes !== null && sameText(given, hmac(secret, "hex", bytes));
  };
}
