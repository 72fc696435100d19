// Names of people, for cards that say who did something: the platform tells ids with its events, and names only to apps that may know.
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { LarkApi } from "./api.ts";
import { messageOf } from "./background.ts";
import { within } from "./event-claims.ts";
import { createRecent } from "./recent.ts";

export interface People {
  /** What is known already, without asking. */
  known(openId: string): string | undefined;
  /** Undefined when the platform does not tell, or not in time. Never throws. */
  name(openId: string, waitMs: number): Promise<string | undefined>;
}

/** People change their names, ms. */
const FRESH_MS = 24 * 3_600_000;
/** How long nobody is asked for after a refusal: the app has no such scope, or may not see that person, ms. */
const REFUSED_MS = 3_600_000;
const MAX_PEOPLE = 5_000;

export function createPeople(api: Pick<LarkApi, "call">, clock: Clock, logger: Logger): People {
  const found = createRecent<{ readonly name: string | undefined; readonly until: number }>(MAX_PEOPLE);
  const asking = new Map<string, Promise<string | undefined>>();

  function fresh(openId: string): { readonly name: string | undefined } | undefined {
    const held = found.get(openId);
    return held !== undefined && clock.monotonic() < held.until ? held : undefined;
  }

  async function ask(openId: string): Promise<string | undefined> {
    let name: string | undefined;
    try {
      const path = `/open-apis/contact/v3/users/${encodeURIComponent(openId)}`;
      const { user } = await api.call({ method: "GET", path, query: { user_id_type: "open_id" } });
      const given = (user as { readonly name?: unknown } | undefined)?.name;
      name = typeof given === "string" && given.trim() !== "" ? given.trim().slice(0, 64) : undefined;
    } catch (thrown) {
      logger.debug("lark.name_unknown", { error: messageOf(thrown) });
    }
    found.set(openId, { name, until: clock.monotonic() + (name === undefined ? REFUSED_MS : FRESH_MS) });
    return name;
  }

  return {
    known: (openId) => fresh(openId)?.name,
    async name(openId, waitMs) {
      const held = fresh(openId);
      if (held !== undefined) return held.name;
      const asked = asking.get(openId) ?? ask(openId).finally(() => asking.delete(openId));
      asking.set(openId, asked);
      return within(asked, waitMs, clock);
    },
  };
}
