// The fake's pace: about one message a second in a conversation, after which Slack says how long to wait.
import type { Clock } from "../../../src/ports/clock.ts";
import type { Given } from "./web-api-arguments.ts";

const SPACING_MS = 1_000;
/** Slack lets a short burst through. */
const BURST = 2;
const paced: ReadonlySet<string> = new Set(["chat.postMessage", "chat.postEphemeral"]);

/** Seconds to wait; 0 when the call may go through. */
export function createPace(clock: Clock): (method: string, given: Given) => number {
  const recent = new Map<string, number[]>();
  return (method, given) => {
    if (!paced.has(method)) return 0;
    const name = String(given["channel"]);
    const now = clock.now();
    const times = (recent.get(name) ?? []).filter((at) => at > now - SPACING_MS);
    if (times.length >= BURST) return Math.max(1, Math.ceil(((times[0] ?? now) + SPACING_MS - now) / 1_000));
    recent.set(name, [...times, now]);
    return 0;
  };
}
