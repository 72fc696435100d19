// What Discord's gateway refuses in a payload, with the close code that it answers.
import * as z from "zod";

export const MAX_PAYLOAD_BYTES = 4_096;

/** GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT have to be allowed for an application; for ours they are not. */
const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
/** Every bit that has a meaning. */
const KNOWN = 0b11_0011_0001_1111_1111_1111_1111;

const payload = z.strictObject({ op: z.int(), d: z.unknown() });

const identify = z.strictObject({
  token: z.string(),
  intents: z.int(),
  properties: z.strictObject({ os: z.string(), browser: z.string(), device: z.string() }),
  compress: z.boolean().optional(),
  large_threshold: z.int().min(50).max(250).optional(),
  shard: z.tuple([z.int(), z.int()]).optional(),
});

const resume = z.strictObject({ token: z.string(), session_id: z.string(), seq: z.int() });

/** Null for what is no payload (4002). */
export function readPayload(text: string): { readonly op: number; readonly d: unknown } | null {
  try {
    const parsed = payload.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const { op, d } = parsed.data;
    return op === 1 && d !== null && !Number.isSafeInteger(d) ? null : { op, d };
  } catch {
    return null;
  }
}

/** The close code, or null when it is in order. */
export function checkIdentify(data: unknown, token: string): number | null {
  const parsed = identify.safeParse(data);
  if (!parsed.success) return 4002;
  const { intents, shard, token: given } = parsed.data;
  if (given !== token) return 4004;
  if (shard !== undefined && (shard[0] < 0 || shard[0] >= shard[1])) return 4010;
  if (intents < 0 || (intents & ~KNOWN) !== 0) return 4013;
  return (intents & PRIVILEGED) === 0 ? null : 4014;
}

export function checkResume(data: unknown, token: string): number | null {
  const parsed = resume.safeParse(data);
  if (!parsed.success) return 4002;
  return parsed.data.token === token ? null : 4004;
}
