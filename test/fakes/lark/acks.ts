// What a client sends over the long connection, read strictly: whatever is not as the platform wants it is a mistake.
import { type Frame, headerOfFrame } from "./frames.ts";

export interface Ack {
  readonly code: number;
  /** What the handler returned, decoded; absent when it returned nothing. */
  readonly data?: unknown;
}

/** Throws when the frame is no ping. */
export function checkPing(frame: Frame): void {
  if (frame.method !== 0 || headerOfFrame(frame, "type") !== "ping") throw new Error("a control frame is no ping");
}

/**
 * Throws when it is no ack of these frames.
 * @param sent the frames of the event that is acknowledged; undefined when none waits.
 */
export function readAck(frame: Frame, sent: readonly Frame[] | undefined): Ack {
  if (sent === undefined) throw new Error("an ack came for an event that waits for none");
  if (!sent.some(({ headers }) => headers.every(([key, value]) => isKept(frame, key, value)))) {
    throw new Error("an ack does not carry the headers of its frame");
  }
  if (headerOfFrame(frame, "biz_rt") === undefined) throw new Error("an ack tells no biz_rt");
  const payload = JSON.parse(Buffer.from(frame.payload ?? []).toString("utf8")) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(payload).filter((key) => key !== "code" && key !== "data");
  if (unknown.length > 0) throw new Error(`an ack knows no ${unknown.join(", ")}`);
  const { code, data } = payload;
  if (typeof code !== "number") throw new Error("an ack has no code");
  if (typeof data !== "string") return { code };
  return { code, data: JSON.parse(Buffer.from(data, "base64").toString("utf8")) as unknown };
}

/** The type of a legacy callback may come back as an event's: that is how such frames are taken at all. */
function isKept(frame: Frame, key: string, value: string): boolean {
  const given = headerOfFrame(frame, key);
  return given === value || (key === "type" && value === "card" && given === "event");
}

/** One event cut into frames, as their headers count them. */
export function framesOf(facts: {
  readonly id: string;
  readonly number: number;
  readonly service: number;
  readonly payload: string;
  readonly parts: number;
  readonly type: string;
}): readonly Frame[] {
  const { id, number, service, parts, type } = facts;
  const payload = Buffer.from(facts.payload, "utf8");
  const size = Math.ceil(payload.length / parts);
  return Array.from({ length: parts }, (_, index) => ({
    seqId: BigInt(number),
    logId: 0n,
    service,
    method: 1,
    headers: [
      ["type", type],
      ["message_id", id],
      ["trace_id", `trace-${id}`],
      ["sum", String(parts)],
      ["seq", String(index)],
    ],
    payload: payload.subarray(index * size, (index + 1) * size),
  }));
}
