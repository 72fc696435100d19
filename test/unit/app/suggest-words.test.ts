// Completion of what people type: only what the conversation may see, in the place where it may stand, and quickly.
import { describe, expect, it } from "vitest";
import { createSuggestWords } from "../../../src/app/suggest-words.ts";
import type { Change } from "../../../src/core/change.ts";
import type { ConversationRef } from "../../../src/core/delivery.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Review } from "../../../src/core/review.ts";
import type { Vcs } from "../../../src/ports/vcs.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const here: ConversationRef = { channel: "discord", workspace: "1", conversation: "2" };

function review(id: string, repository: string, display: string, ref: string): Review {
  const head = { vcs: "git", canonical: display, display } as Change["head"];
  return { id, repository, change: { repository, head, ref } as Change } as Review;
}

const reviews = [
  review("rv_2", "demo", "bbb222", "refs/heads/feature/x"),
  review("rv_1", "demo", "aaa111", "refs/heads/main"),
  review("rv_3", "secret", "ccc333", "refs/heads/hidden"),
  review("rv_4", "depot", "12345", "p4"),
];

const main = { head: { display: "fff000" }, defaultBranch: "main" } as Awaited<ReturnType<Vcs["check"]>>;

function rig(check: () => Promise<Awaited<ReturnType<Vcs["check"]>>> = async () => main) {
  const clock = createFakeClock();
  let checks = 0;
  function counted() {
    checks += 1;
    return check();
  }
  const suggest = createSuggestWords({
    visibility: { repositoriesFor: () => ["demo", "depot", "game server"] },
    store: {
      reviews: async ({ repository, limit }) =>
        reviews.filter((one) => repository === undefined || one.repository === repository).slice(0, limit),
    },
    vcs: new Map([["demo", { check: counted }]]),
    agents: ["checks", "model"],
    clock,
  });
  return { clock, checks: () => checks, suggest: (text: string) => suggest({ conversation: here, text }) };
}

describe("what is suggested", () => {
  it.each([
    ["de", ["demo", "depot"]],
    ["DE", ["demo", "depot"]],
    ["un", ["unsubscribe", "unmute"]],
    ["review ", ["review demo", "review depot", 'review "game server"']],
    ["subscribe dem", ["subscribe demo"]],
    ["mute 2h dem", ["mute 2h demo"]],
    ["findings demo op", ["findings demo open"]],
    ["subscribe demo mode:a", ["subscribe demo mode:audit"]],
    ["demo agent:", ["demo agent:checks", "demo agent:model"]],
    ["demo path:src/** ", ["demo path:src/** main", "demo path:src/** fff000", "demo path:src/** feature/x"]],
    ["review demo fe", ["review demo feature/x"]],
    ["why demo ", ["why demo main", "why demo fff000", "why demo feature/x"]],
    ["demo b", ["demo bbb222"]],
    ["depot 1", ["depot 12345"]],
    ["status rv_", ["status rv_2", "status rv_1", "status rv_4"]],
  ])("after “%s” begins with %j", async (text, lines) => {
    expect((await rig().suggest(text)).slice(0, lines.length)).toEqual(lines);
  });

  it.each(["secret ", "review secret ", "help ", "demo HEAD more", 'demo "a', "xyz ", "link ", "demo tz:", "demo no:"])(
    "is nothing after “%s”",
    async (text) => {
      expect(await rig().suggest(text)).toEqual([]);
    },
  );

  it("never names a review of a repository that may not be seen here", async () => {
    const all = await Promise.all(["", "status ", "rerun ", "demo ", "secret h"].map((text) => rig().suggest(text)));
    expect(all.flat().filter((line) => /secret|hidden|ccc333|rv_3/.test(line))).toEqual([]);
    expect(all.flat().length).toBeGreaterThan(10);
  });

  it("has at most 25 lines", async () => {
    expect((await rig().suggest("")).length).toBeLessThanOrEqual(25);
  });
});

describe("the version control system", () => {
  it("is asked once a minute", async () => {
    const { suggest, checks, clock } = rig();
    await suggest("demo ");
    await suggest("demo m");
    expect(checks()).toBe(1);
    clock.advance(60_000);
    await suggest("demo m");
    expect(checks()).toBe(2);
  });

  it("is not waited for longer than a second, and what it cannot tell is left out", async () => {
    const { suggest, clock } = rig(() => new Promise(() => undefined));
    const suggesting = suggest("demo ");
    await clock.advanceAsync(1_000);
    expect(await suggesting).toEqual(["demo feature/x", "demo main", "demo bbb222", "demo aaa111"]);
    const broken = rig(() => Promise.reject(new AppError("unavailable", "away", { remedy: "wait" })));
    expect(await broken.suggest("demo f")).toEqual(["demo feature/x"]);
  });
});
