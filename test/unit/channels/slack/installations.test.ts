// The tokens of installations: sealed at rest, renewed once however many ask, and never used after Slack refused them.
import { beforeEach, describe, expect, it } from "vitest";
import { createSealing } from "../../../../channels/kit/sealing.ts";
import { createInstallations, type Installations } from "../../../../channels/slack/installations.ts";
import type { SlackGrant } from "../../../../channels/slack/oauth-calls.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createFixedIds } from "../../../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const hour = 3_600_000;
const keys = [{ name: "OLD", key: Buffer.alloc(32, 1).toString("base64") }];
let store: ChannelStore;
let clock: FakeClock;
let refreshes: string[];
let answerRefresh: (token: string) => Promise<SlackGrant>;
let made = 0;

function grant(changes: Partial<SlackGrant> = {}): SlackGrant {
  made += 1;
  return { workspace: "T0001", botToken: `xoxb-${made}`, botUserId: "U0BOT", scopes: [], ...changes };
}

/** A token of twelve hours with its refresh token. */
function rotating(): SlackGrant {
  return grant({ refreshToken: `xoxe-${made + 1}`, expiresIn: 43_200 });
}

function process(sealing = createSealing(keys)): Installations {
  const ids = createFixedIds();
  return createInstallations({
    store,
    sealing,
    clock,
    ids: { ...ids, token: () => `process${Math.random()}` },
    logger: silentLogger,
    authTest: async () => ({ workspace: "T0001", workspaceName: "x", botId: "B0001", botUserId: "U0BOT", scopes: [] }),
    calls: {
      exchange: async () => Promise.reject(new Error("not asked")),
      refresh(token) {
        refreshes.push(token);
        return answerRefresh(token);
      },
    },
  });
}

beforeEach(() => {
  store = createMemoryChannelStore();
  clock = createFakeClock();
  refreshes = [];
  made = 0;
  answerRefresh = async () => rotating();
});

describe("installations", () => {
  it("keeps tokens that nobody can read in the store", async () => {
    await process().save(rotating());
    const row = JSON.stringify(await store.installations("slack"));
    expect(row).not.toMatch(/xoxb|xoxe/);
    expect(row).toContain("T0001");
    expect(await process().bot("T0001")).toEqual({ token: "xoxb-1", botId: "B0001", botUserId: "U0BOT" });
  });

  it("is not installed where nobody installed it, or where it was removed", async () => {
    const one = process();
    await expect(one.bot("T0001")).rejects.toMatchObject({ fault: "auth" });
    await one.save(grant());
    await one.revoke("T0001");
    await expect(one.bot("T0001")).rejects.toMatchObject({ fault: "auth" });
    await one.save(grant());
    expect((await one.bot("T0001")).token).toBe("xoxb-2");
  });

  it("does not use a token that Slack refused, until it is installed again", async () => {
    const one = process();
    await one.save(grant());
    one.refused("T0001", "token_revoked");
    await expect(one.bot("T0001")).rejects.toMatchObject({
      fault: "auth",
      message: expect.stringContaining("token_revoked"),
    });
    expect([...one.dead]).toEqual([["T0001", "token_revoked"]]);
    await one.save(grant());
    expect((await one.bot("T0001")).token).toBe("xoxb-2");
    expect(one.dead.size).toBe(0);
  });

  it("renews a token before its end, once for all who ask", async () => {
    const one = process();
    await one.save(rotating());
    clock.advance(11 * hour);
    expect((await one.bot("T0001")).token).toBe("xoxb-1");
    clock.advance(hour - 60_000);
    const bots = await Promise.all(Array.from({ length: 20 }, () => one.bot("T0001")));
    expect(new Set(bots.map(({ token }) => token))).toEqual(new Set(["xoxb-2"]));
    expect(refreshes).toEqual(["xoxe-1"]);
    expect((await process().bot("T0001")).token).toBe("xoxb-2");
  });

  it("renews once in all processes; the others use what is still good, then the new one", async () => {
    const [one, two] = [process(), process()];
    await one.save(rotating());
    await two.bot("T0001");
    let finish: () => void = () => undefined;
    answerRefresh = () =>
      new Promise((resolve) => {
        finish = () => resolve(rotating());
      });
    clock.advance(12 * hour - 60_000);
    const first = one.bot("T0001");
    await clock.advanceAsync(0);
    expect((await two.bot("T0001")).token).toBe("xoxb-1");
    finish();
    expect((await first).token).toBe("xoxb-2");
    expect((await two.bot("T0001")).token).toBe("xoxb-2");
    expect(refreshes).toEqual(["xoxe-1"]);
  });

  it("waits for another process that renews a token whose time is over", async () => {
    const [one, two] = [process(), process()];
    await one.save(rotating());
    let finish: () => void = () => undefined;
    answerRefresh = () =>
      new Promise((resolve) => {
        finish = () => resolve(rotating());
      });
    clock.advance(13 * hour);
    const first = one.bot("T0001");
    await clock.advanceAsync(0);
    const second = two.bot("T0001");
    await clock.advanceAsync(2_500);
    finish();
    await first;
    await clock.advanceAsync(1_000);
    expect((await second).token).toBe("xoxb-2");
    expect(refreshes).toHaveLength(1);
  });

  it("uses the old token while it is good when Slack does not answer, and says so when it is over", async () => {
    const one = process();
    await one.save(rotating());
    answerRefresh = async () => Promise.reject(new ChannelError("uncertain", "Slack did not answer."));
    clock.advance(12 * hour - 60_000);
    expect((await one.bot("T0001")).token).toBe("xoxb-1");
    clock.advance(2 * 60_000);
    await expect(one.bot("T0001")).rejects.toMatchObject({ fault: "uncertain" });
    answerRefresh = async () => rotating();
    expect((await one.bot("T0001")).token).toBe("xoxb-2");
  });

  it("gives up an installation whose refresh token is refused", async () => {
    const one = process();
    await one.save(rotating());
    answerRefresh = async () => Promise.reject(new ChannelError("auth", "Slack refused: invalid_refresh_token."));
    clock.advance(13 * hour);
    await expect(one.bot("T0001")).rejects.toMatchObject({ fault: "auth" });
    await expect(one.bot("T0001")).rejects.toMatchObject({ fault: "auth" });
    expect(refreshes).toHaveLength(1);
  });

  it("reads a token anew that Slack calls expired", async () => {
    const [one, two] = [process(), process()];
    await one.save(rotating());
    await two.bot("T0001");
    await one.save(rotating());
    two.refused("T0001", "token_expired");
    expect((await two.bot("T0001")).token).toBe("xoxb-2");
  });

  it("seals anew under a changed key what it reads", async () => {
    await process().save(grant());
    const changed = [{ name: "NEW", key: Buffer.alloc(32, 2).toString("base64") }, ...keys];
    await process(createSealing(changed)).bot("T0001");
    const withoutOld = createSealing(changed.slice(0, 1));
    expect((await process(withoutOld).bot("T0001")).token).toBe("xoxb-1");
  });
});
