// Why a change was silent, and how a range that was just reviewed is answered without reviewing it again.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAnswerFromStore } from "../../../src/app/answer-from-store.ts";
import type { Change } from "../../../src/core/change.ts";
import { rerunSpec } from "../../../src/core/rerun.ts";
import type { Requester, Review } from "../../../src/core/review.ts";
import { change, problem, reviewed } from "../../contract/store-samples.ts";
import {
  type CommandProduct,
  type CommandProductOptions,
  createCommandProduct,
  otherConversation,
} from "../../fakes/command-product.ts";
import { fakeConversation } from "../../fakes/fake-channel.ts";
import { assessed } from "../../fakes/problems.ts";
import { publishChange } from "../../fakes/publish-change.ts";

const head = "a".repeat(40);
let product: CommandProduct;

async function start(options: CommandProductOptions = {}): Promise<void> {
  product = await createCommandProduct(options);
}
beforeEach(() => start());
afterEach(() => product.remove());

async function publish(problems = [assessed("p1", "low")], of: Partial<Change> = {}) {
  const { store, clock, directory } = product;
  return publishChange({ store, clock, subscriptions: directory, problems, change: of });
}

const why = async (rev = "aaaaaaa", options = {}) => (await product.say(`why demo ${rev}`, options)).text;

describe("why", () => {
  it("says that nobody asked, and that this conversation is not subscribed", async () => {
    expect(await why()).toContain("No review of demo aaaaaaa is known here");
    await publish();
    expect(await why()).toContain("This conversation is not subscribed to the repository.");
  });

  it.each([
    ["severity:high", "There was no problem at or above the severity floor"],
    ["branch:release/**", "The subscription leaves out this branch."],
    ["path:docs/**", "The subscription leaves out all changed files."],
    ["-author:Ada", "The subscription leaves out this author."],
    ["", "The report is on its way."],
  ])("tells what %j did", async (terms, expected) => {
    await product.say(`subscribe demo ${terms}`);
    await publish();
    expect(await why()).toContain(expected);
  });

  it("gives the reason of a skip, and the words of the conversation's language", async () => {
    await product.say("subscribe demo lang:zh-CN");
    await publish([]);
    expect(await why()).toContain("评审者");
  });

  it("finds a change by its whole name, its branch, and by what the VCS makes of it", async () => {
    await product.remove();
    const resolve = async ({ spec }: { readonly spec: string }) => {
      if (spec === "HEAD") return change();
      throw new Error("unknown");
    };
    await start({ resolve });
    await publish();
    for (const rev of [head, "aaaaaaaaaa", "HEAD", "main"]) expect(await why(rev), rev).toContain("asked for by push");
    expect(await why("nonsense")).toContain("No review of demo nonsense is known here");
  });

  it("tells nothing of what a person asked for elsewhere", async () => {
    const requester: Requester = {
      kind: "person",
      conversation: otherConversation,
      person: { channel: "fake", workspace: "w", person: "bob" },
    };
    await reviewed(product.store, { requester, coalesce: false });
    expect(await why()).toContain("No review");
    expect(await why("aaaaaaa", { conversation: otherConversation })).toContain("asked for by bob");
  });
});

describe("a range that was just reviewed", () => {
  const asker: Requester = {
    kind: "person",
    conversation: fakeConversation,
    person: { channel: "fake", workspace: "w", person: "ada" },
  };
  const review = { repository: "demo", agent: "checks", paths: [], requester: asker } as unknown as Review;

  async function ask(overrides: Partial<Review> = {}) {
    const { store, clock } = product;
    return createAnswerFromStore({ store, clock })({ ...review, ...overrides }, change(), []);
  }

  it("is answered from the store for ten minutes, unless it is to be done again", async () => {
    const { store, clock } = product;
    const now = clock.now();
    const result = {
      status: "reported",
      report: { outcome: "reported", problems: [problem("p")], summaries: [] },
    } as const;
    const earlier = await reviewed(store, { now }, { now, result });
    expect(await ask()).toMatchObject({ kind: "report", answeredFrom: earlier, report: { outcome: "reported" } });
    expect(await ask({ rerunOf: earlier })).toBeNull();
    expect(await ask({ requester: { kind: "feed", feed: "push" } })).toBeNull();
    expect(await ask({ paths: ["src/**"] })).toBeNull();
    expect(await ask({ agent: "other" })).toBeNull();
    clock.advance(10 * 60_000 + 1);
    expect(await ask()).toBeNull();
  });
});

describe("rerun", () => {
  const base = { ...change().head, canonical: "b".repeat(40), display: "bbbbbbbbbb" };
  const specOf = (of: Partial<Change>, spec = "typed") => rerunSpec({ change: change(of), spec });

  it("asks for exactly the range of the earlier review", () => {
    expect(rerunSpec({ spec: "typed" })).toBe("typed");
    expect(specOf({})).toBe(head);
    expect(specOf({ base, baseReason: "first_parent" })).toBe(head);
    expect(specOf({ base, baseReason: "merge_base" })).toBe(`${base.canonical}..${head}`);
    expect(specOf({ base, baseReason: "last_reviewed" })).toBe(`${base.canonical}..${head}`);
    expect(specOf({ vcs: "p4", base, baseReason: "own_delta" }, "@=12345")).toBe("@=12345");
    expect(specOf({ vcs: "svn", base, baseReason: "own_delta", head: { ...base, display: "r7" } }, "")).toBe("r7");
  });
});
