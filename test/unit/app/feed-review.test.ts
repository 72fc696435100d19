// What a feed's job is about: since the last review for git, its own delta elsewhere, and nothing where it is no part of the repository.
import { expect, test } from "vitest";
import { resolveJob } from "../../../src/app/feed-review.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { ClaimedJob } from "../../../src/ports/store.ts";
import type { ResolveRequest, Vcs } from "../../../src/ports/vcs.ts";
import { change } from "../../contract/store-samples.ts";

const missing = new AppError("not_found", "There is no such change.", { remedy: "Name another one." });
const down = new AppError("unavailable", "The server cannot be reached.", { remedy: "Start it." });

function setUp(kind: Vcs["kind"], resolve: (request: ResolveRequest) => ReturnType<Vcs["resolve"]>, newest = "10") {
  const asked: ResolveRequest[] = [];
  const head = { ...change().head, canonical: newest };
  const vcs: Pick<Vcs, "kind" | "resolve" | "check"> = {
    kind,
    resolve: async (request) => {
      asked.push(request);
      return resolve(request);
    },
    check: async () => ({ head, defaultBranch: null }),
  };
  const run = (spec: string, attempt = 1, ref: string | null = "refs/heads/main") => {
    const review = { repository: "game", spec };
    const job = { review, attempt, ...(ref === null ? {} : { ref }) } as unknown as ClaimedJob;
    const store = { lastReviewedHead: async () => "last" };
    return resolveJob(vcs as Vcs, store, job, new AbortController().signal);
  };
  return { asked, run };
}
const fails = (error: AppError) => async () => Promise.reject(error);

test("git is asked for everything since the last reviewed head, the others for the change alone, people's reviews for neither", async () => {
  for (const [kind, ref, request] of [
    ["git", "refs/heads/main", { spec: "x", ref: "refs/heads/main", since: "last" }],
    ["svn", "svn", { spec: "x", ref: "svn" }],
    ["git", null, { spec: "x" }],
  ] as const) {
    const { asked, run } = setUp(kind, async () => change());
    await run("x", 1, ref);
    expect(asked).toEqual([request]);
  }
});

test("an outage stays an outage", async () => {
  await expect(setUp("git", fails(down)).run("x")).rejects.toBe(down);
  await expect(setUp("p4", fails(down)).run("7")).rejects.toBe(down);
  const thenDown = setUp("git", async ({ spec }) => Promise.reject(spec === "" ? down : missing));
  await expect(thenDown.run("x")).rejects.toBe(down);
});

test("a commit that its branch has left is nothing to review; one that the branch still has is a fault", async () => {
  expect(await setUp("git", fails(missing)).run("x")).toBeNull();
  const moved = setUp("git", async ({ spec }) => (spec === "" ? change() : Promise.reject(missing)));
  expect(await moved.run("x")).toBeNull();
  await expect(moved.run(change().head.canonical)).rejects.toBe(missing);
});

test("a change of another path is nothing to review; one that is not there yet is asked for again, and then let go", async () => {
  const { run } = setUp("p4", fails(missing));
  expect(await run("9", 1, "p4")).toBeNull();
  for (const attempt of [1, 2]) {
    await expect(run("11", attempt, "p4")).rejects.toMatchObject({ code: "unavailable", retryable: true });
  }
  expect(await run("11", 3, "p4")).toBeNull();
});
