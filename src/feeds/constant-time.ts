// Comparisons that take the same time wherever two texts differ, so that nobody learns a secret byte by byte.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Compares texts of any lengths; not even the length of the secret one shows. */
export function sameText(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

/** HMAC-SHA256 as text: comparing text leaves a signature one spelling alone. */
export function hmac(
  secret: string | Buffer,
  encoding: "hex" | "base64",
  ...parts: readonly (string | Buffer)[]
): string {
  const made = createHmac("sha256", secret);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
