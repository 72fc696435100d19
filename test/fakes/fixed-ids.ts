// Ids that count, so that a test can foretell them: `rv_000001`, `rv_000002`, …, each prefix by itself.
import type { Ids } from "../../src/ports/ids.ts";

export function createFixedIds(): Ids {
  const counters = new Map<string, number>();
  function count(name: string): number {
    const next = (counters.get(name) ?? 0) + 1;
    counters.set(name, next);
    return next;
  }
  return {
    next: (prefix) => `${prefix}_${String(count(prefix)).padStart(6, "0")}`,
    token: () => `token${String(count("token")).padStart(21, "0")}`,
  };
}
