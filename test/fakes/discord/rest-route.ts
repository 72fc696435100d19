// How the small Discord handles a request: what a route is given, and how it refuses.
import { type Permission, permissions, type World, type WorldChannel } from "./rest-world.ts";

type Json = Readonly<Record<string, unknown>>;

export interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Uint8Array;
}

export interface Context {
  readonly world: World;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON body, or the `payload_json` of a multipart one; for lists see `json`. */
  readonly body: Json;
  readonly json: unknown;
  readonly files: readonly SentFile[];
  /** Refuses with 50035 when there are mistakes, and keeps them for the test to see. */
  check(mistakes: readonly string[]): void;
  /** How often this was counted, this time included. */
  counted(what: string): number;
}

/** Gives the answer's JSON; undefined is 204. */
export type Handler = (context: Context) => unknown;

/** `open` routes hold a token of their own and need no bot's. */
export type Route = readonly [method: string, pattern: string, handler: Handler, open?: "open"];

export interface RefusedBody {
  readonly refused: {
    readonly status: number;
    readonly code: number;
    readonly message: string;
    readonly retryAfter?: number;
  };
}

/** Ends a handler with an error of Discord's. @param retryAfter s */
export function refuse(status: number, code: number, message: string, retryAfter?: number): never {
  const refused = { status, code, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
  throw Object.assign(new Error(`${code}: ${message}`), { refused } satisfies RefusedBody);
}

export function refusedBy(thrown: unknown): RefusedBody["refused"] | null {
  return thrown instanceof Error && "refused" in thrown ? (thrown as Error & RefusedBody).refused : null;
}

/** Who cannot see a channel has no access to it at all; who lacks another right is told so. */
export function requireRights({ world }: Pick<Context, "world">, channel: WorldChannel, right: Permission): void {
  const rights = world.rights(channel);
  if ((rights & permissions.ViewChannel) === 0n) refuse(403, 50001, "Missing Access");
  if ((rights & permissions[right]) === 0n) refuse(403, 50013, "Missing Permissions");
}
