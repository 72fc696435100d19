// An event's work is done once: by whoever claims it, again when it had no effect, and by another process when the first one died.
import { beforeEach, describe, expect, it } from "vitest";
import { createOnce } from "../../../../channels/slack/once.ts";
import { createLookUpPerson } from "../../../../channels/slack/people.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

let store: ChannelStore;
let clock: FakeClock;
let done: string[];

beforeEach(() => {
  store = createMemoryChannelStore();
  clock = createFakeClock();
  done = [];
});

const work = (name: string) => async (): Promise<void> => void done.push(name);
const fails = async (): Promise<void> => Promise.reject(new Error("no effect"));

describe("once", () => {
  it("does nothing a second time, for a day", async () => {
    const once = createOnce({ store, clock });
    expect(await once("event:Ev1", work("first"))).toBe(true);
    expect(await once("event:Ev1", work("second"))).toBe(false);
    clock.advance(23 * 3_600_000);
    expect(await createOnce({ store, clock })("event:Ev1", work("third"))).toBe(false);
    expect(done).toEqual(["first"]);
  });

  it("lets the next copy do what had no effect", async () => {
    const once = createOnce({ store, clock });
    await expect(once("event:Ev1", fails)).rejects.toThrow("no effect");
    expect(await once("event:Ev1", work("retry"))).toBe(true);
  });

  it("fails a copy that came meanwhile along with the first, so that neither is acknowledged", async () => {
    const once = createOnce({ store, clock });
    const outcomes = await Promise.allSettled([once("event:Ev1", fails), once("event:Ev1", work("copy"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(done).toEqual([]);
  });

  it("takes over after a minute what a process began and never settled", async () => {
    await store.claimEvent({ channel: "slack", key: "event:Ev1" }, clock.now());
    const once = createOnce({ store, clock });
    expect(await once("event:Ev1", work("too early"))).toBe(false);
    clock.advance(60_000);
    expect(await once("event:Ev1", work("after the crash"))).toBe(true);
    expect(done).toEqual(["after the crash"]);
  });
});

describe("who speaks", () => {
  const person = { channel: "slack", workspace: "T0001", person: "U0001" };
  const known = { id: "U0001", name: "Linh", locale: "vi-VN", isBot: false, isGuest: false, isAdmin: true };

  function lookUp(client: Partial<Parameters<typeof createLookUpPerson>[0]["client"]>) {
    const all = { usersInfo: async () => known, usergroupsOf: async () => ["S0001"], ...client };
    return createLookUpPerson({ client: all, clock, logger: silentLogger, workspaceAdmins: true });
  }

  it("has name, language, groups and office", async () => {
    expect(await lookUp({})(person, "T0001")).toEqual({
      person: { ...person, name: "Linh" },
      locale: "vi-VN",
      groups: ["S0001"],
      roles: ["admin"],
    });
  });

  it("keeps the name that came with the event", async () => {
    expect(await lookUp({})({ ...person, name: "linh" }, "T0001")).toMatchObject({ person: { name: "linh" } });
  });

  it("has neither groups nor office when it comes from another organisation", async () => {
    const stranger = { ...person, workspace: "T0002" };
    expect(await lookUp({})(stranger, "T0001")).toMatchObject({
      groups: [],
      roles: [],
      person: { workspace: "T0002" },
    });
  });

  it("loses rights, and no answer, when Slack is slow or refuses", async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const slow = lookUp({ usersInfo: never, usergroupsOf: never })(person, "T0001");
    await clock.advanceAsync(1_500);
    expect(await slow).toEqual({ person, groups: [], roles: [] });
    const refused = async (): Promise<never> => Promise.reject(new Error("missing_scope"));
    expect(await lookUp({ usersInfo: refused, usergroupsOf: refused })(person, "T0001")).toEqual({
      person,
      groups: [],
      roles: [],
    });
  });
});
