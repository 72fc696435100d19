// Proves that a request comes from Slack: its signature over the raw body, not old, and not one that came before.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../src/ports/clock.ts";

export type SignatureVerdict = "good" | "unsigned" | "stale" | "bad" | "replayed";

export interface SignatureGate {
  check(
    signed: { readonly timestamp: string | null; readonly signature: string | null },
    body: Uint8Array,
  ): SignatureVerdict;
  /** The request had no effect: the same one may come again. */
  forget(signature: string): void;
}

/** How far the time of a request may be from ours, s, in both directions. */
const WINDOW_S = 300;
/** Signatures remembered at once; beyond it the oldest goes, and the claim of its event still keeps it from acting twice. */
const MAX_SEEN = 20_000;

export function createSignatureGate({
  secret,
  clock,
}: {
  readonly secret: string;
  readonly clock: Clock;
}): SignatureGate {
  /** Signature → when it may be forgotten, ms since the epoch; in the order of that time. */
  const seen = new Map<string, number>();

  function drop(now: number): void {
    for (const [signature, until] of seen) {
      if (until > now && seen.size <= MAX_SEEN) return;
      seen.delete(signature);
    }
  }

  return {
    check({ timestamp, signature }, body) {
      if (timestamp === null || signature === null) return "unsigned";
      const now = clock.now();
      if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > WINDOW_S) return "stale";
      const mac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex");
      const expected = Buffer.from(`v0=${mac}`);
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "bad";
      drop(now);
      if (seen.has(signature)) return "replayed";
      // A request from the future may come again until its own time is past the window.
      seen.set(signature, Math.max(now, Number(timestamp) * 1_000) + WINDOW_S * 1_000 + 1_000);
      return "good";
    },
    forget: (signature) => void seen.delete(signature),
  };
}
