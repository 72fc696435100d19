// What a feed tells, as it reaches the store: refs and numbers made one form, and what nobody wants to hear refused.
import { expect, test } from "vitest";
import { createAcceptPush, type Push } from "../../../src/app/accept-push.ts";
import type { Filters } from "../../../src/core/subscription.ts";
import { noFilters } from "../../../src/core/subscription.ts";
import type { AcceptedPush, AcceptPushRequest } from "../../../src/ports/feed-store.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { createFixedSubscriptions } from "../../fakes/fixed-subscriptions.ts";

const head = "a".repeat(40);
const long = "b".repeat(64);

function setUp(filters: Partial<Filters> = {}, answer?: AcceptedPush) {
  const requests: AcceptPushRequest[] = [];
  const woken: number[] = [];
  const repository = (alias: string, vcs: "git" | "svn" | "p4", isPolled = true) =>
    [alias, { alias, vcs, agent: "checks", isPolled }] as const;
  const acceptPush = createAcceptPush({
    store: {
      async acceptPush(request) {
        requests.push(request);
        if (answer !== undefined) return answer;
        if (request.ignore !== null) return { outcome: "ignored", reason: request.ignore };
        return { outcome: "accepted", review: request.review };
      },
    },
    subscriptions: createFixedSubscriptions(
      ["game", "art", "world", "manual"].map((one) => ({ repository: one, filters: { ...noFilters, ...filters } })),
    ),
    repositories: new Map([
      repository("game", "git"),
      repository("art", "svn"),
      repository("world", "p4"),
      repository("manual", "git", false),
      repository("quiet", "git"),
    ]),
    locale: "vi",
    clock: createFakeClock(),
    ids: createFixedIds(),
    wake: () => void woken.push(1),
  });
  const push = (some: Partial<Push>) =>
    acceptPush({ repository: "game", ref: "refs/heads/main", head, source: "github", deliveryId: "1", ...some });
  return { push, requests, woken };
}

test("an accepted push names its review and wakes the workers; a duplicate does neither", async () => {
  const { push, requests, woken } = setUp();
  expect(await push({ before: long })).toEqual({ outcome: "accepted", reviewId: "rv_000001" });
  expect(requests[0]).toMatchObject({
    delivery: { source: "github", id: "1" },
    ref: "refs/heads/main",
    before: long,
    head,
    ignore: null,
    ordered: false,
    authoritative: false,
    agent: "checks",
    locale: "vi",
  });
  expect(woken).toHaveLength(1);
  const duplicate = { outcome: "duplicate", reason: "known_head" } as const;
  const other = setUp({}, duplicate);
  expect(await other.push({})).toEqual(duplicate);
  expect(other.woken).toEqual([]);
});

test.each<[string, Partial<Push>, string]>([
  ["a deletion", { head: "0".repeat(40) }, "deleted"],
  ["a deletion with 64 digits", { head: "0".repeat(64) }, "deleted"],
  ["a tag", { ref: "refs/tags/v1" }, "not_a_branch"],
  ["a host's own ref", { ref: "refs/pull/1/head" }, "not_a_branch"],
  ["an abbreviated id", { head: "abc123" }, "malformed"],
  ["an option in place of an id", { head: "--output=/tmp/x" }, "malformed"],
  ["a short name of a branch", { ref: "main" }, "malformed"],
  ["a ref with a line break", { ref: "refs/heads/a\nb" }, "malformed"],
  ["no number of a revision", { repository: "art", ref: "svn", head: "12;id" }, "malformed"],
  ["revision zero", { repository: "art", ref: "svn", head: "0" }, "malformed"],
  ["a repository without subscriptions", { repository: "quiet" }, "no_subscription"],
])("%s is noted and not reviewed", async (_what, some, reason) => {
  expect(await setUp().push(some)).toEqual({ outcome: "ignored", reason });
});

test("branch filters decide before there is a review; of Perforce and Subversion every change passes them", async () => {
  const { push } = setUp({ branches: ["release/**"] });
  expect(await push({})).toEqual({ outcome: "ignored", reason: "no_matching_branch" });
  expect((await push({ ref: "refs/heads/release/1" })).outcome).toBe("accepted");
  expect((await push({ repository: "art", head: "7" })).outcome).toBe("accepted");
});

test("triggers and polling mean the same stream, whatever they call it, and the same number", async () => {
  const { push, requests } = setUp();
  await push({ repository: "art", ref: "anything", head: "r0012", before: "11" });
  await push({ repository: "art", ref: "svn", head: "12", source: "poll", deliveryId: null });
  await push({ repository: "world", ref: "//depot/...", head: "345" });
  expect(requests.map(({ ref, head: number, before, ordered }) => [ref, number, before, ordered])).toEqual([
    ["svn", "12", null, true],
    ["svn", "12", null, true],
    ["p4", "345", null, true],
  ]);
  expect(new Set(requests.map(({ jobKey }) => jobKey)).size).toBe(2);
});

test("a webhook is believed about the present only where no poller knows better; a new ref has nothing before it", async () => {
  const { push, requests } = setUp();
  await push({ before: "0".repeat(40) });
  await push({ source: "poll", deliveryId: null });
  await push({ repository: "manual" });
  expect(requests.map(({ authoritative, before }) => [authoritative, before])).toEqual([
    [false, null],
    [true, null],
    [true, null],
  ]);
});

test("a repository that is not configured is refused", async () => {
  await expect(setUp().push({ repository: "nope" })).rejects.toMatchObject({ code: "not_found" });
});
