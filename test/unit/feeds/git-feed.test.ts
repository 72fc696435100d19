// From a push to a bare repository to the chat: polled, coalesced, reviewed since the last reviewed head, silent or on a card.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Page } from "../../../src/core/card.ts";
import { AppError } from "../../../src/core/errors.ts";
import { noFilters } from "../../../src/core/subscription.ts";
import { createFeedProduct, type FeedProduct, type FeedProductOptions, pollMs } from "../../fakes/feed-product.ts";
import { createRepository, type GitRepository } from "../../fakes/git-repository.ts";

const main = "refs/heads/main";

describe("pushes to a git repository", () => {
  let git: GitRepository;
  let product: FeedProduct;

  beforeEach(() => {
    git = createRepository({ bare: true });
  });
  afterEach(async () => {
    await product.remove();
    git.remove();
  });

  async function start(options: Partial<FeedProductOptions> = {}): Promise<void> {
    product = await createFeedProduct({ repository: git.path, ...options });
  }
  const push = (name: string, ref = main, from?: string): string => {
    const spec = {
      ref,
      files: { [`src/${name}.ts`]: `export const ${name} = 1;\n` },
      ...(from === undefined ? {} : { from }),
    };
    return git.commit(spec)[0] ?? "";
  };

  test("the first poll reviews nothing; a push is then reviewed once, and stays silent when nothing is wrong", async () => {
    const old = push("old");
    await start();
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([]);
    const first = push("first");
    const second = push("second");
    await product.poll();
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([`${old}..${second}`]);
    expect(first).not.toBe(second);
    expect(product.channel.kept).toEqual([]);
    expect((await product.store.reviews({ limit: 9 })).map(({ status }) => status)).toEqual(["skipped"]);
  });

  test("problems become a card in the subscribed conversation", async () => {
    push("old");
    await start({
      report: () => [
        ["aicr.report_problem", { file: "src/bad.ts", line: 1, severity: "high", category: "bug", message: "Wrong." }],
      ],
    });
    await product.poll();
    push("bad");
    await product.poll();
    await product.work();
    expect(product.channel.kept.map(({ ref }) => ref.conversation)).toEqual(["c", "c"]);
    expect(JSON.stringify(product.channel.kept[1]?.content)).toContain("Wrong.");
  });

  test("E1: a deleted branch is ignored; a new one is reviewed from the merge base, and is nothing if that is empty", async () => {
    const base = push("old");
    await start();
    await product.poll();
    git.git("update-ref", "refs/heads/empty", base);
    const topic = push("topic", "refs/heads/topic", main);
    push("later");
    await product.poll();
    await product.work();
    const reviews = await product.store.reviews({ limit: 9 });
    expect(product.reviewed).toContain(`${base}..${topic}`);
    expect(reviews.find(({ change }) => change?.ref === "refs/heads/empty")?.skipReason).toBe("no_changed_files");
    const count = reviews.length;
    git.git("update-ref", "-d", "refs/heads/topic");
    await product.poll();
    const zeros = { repository: "game", ref: "refs/heads/empty", source: "github" };
    for (const digits of [40, 64]) {
      const deletion = { ...zeros, before: base, head: "0".repeat(digits), deliveryId: `d${digits}` };
      expect(await product.acceptPush(deletion)).toEqual({ outcome: "ignored", reason: "deleted" });
    }
    await product.work();
    expect(await product.store.reviews({ limit: 9 })).toHaveLength(count);
  });

  test("E2: a redelivered webhook does nothing, and neither do the same head under a new id or from the poller", async () => {
    const old = push("old");
    await start();
    await product.poll();
    const head = push("new");
    const webhook = { repository: "game", ref: main, before: old, head, source: "github", deliveryId: "one" };
    expect(await product.acceptPush(webhook)).toMatchObject({ outcome: "accepted" });
    expect(await product.acceptPush(webhook)).toEqual({ outcome: "duplicate", reason: "known_delivery" });
    expect(await product.acceptPush({ ...webhook, deliveryId: "two" })).toEqual({
      outcome: "duplicate",
      reason: "known_head",
    });
    await product.poll();
    await product.work();
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([`${old}..${head}`]);
  });

  test("E3: A..B running, B..C and C..D arriving: the next review covers B..D", async () => {
    const a = push("a");
    let [c, d] = ["", ""];
    const b = push("b");
    const webhook = (before: string, head: string, deliveryId: string) =>
      product.acceptPush({ repository: "game", ref: main, before, head, source: "github", deliveryId });
    await start({
      async during(change) {
        if (change !== `${a}..${b}`) return;
        c = push("c");
        const third = await webhook(b, c, "c");
        d = push("d");
        expect(await webhook(c, d, "d")).toEqual({ outcome: "coalesced", reviewId: third.reviewId });
      },
    });
    await webhook(a, b, "b");
    await product.work();
    expect(product.reviewed).toEqual([`${a}..${b}`, `${b}..${d}`]);
  });

  test("101 pushes during one review make exactly two reviews, and the second covers them all", async () => {
    const base = push("base");
    const first = push("first");
    const webhook = (before: string, head: string) =>
      product.acceptPush({ repository: "game", ref: main, before, head, source: "github", deliveryId: head });
    let last = first;
    await start({
      async during(change) {
        if (change !== `${base}..${first}`) return;
        const heads = git.commit(
          ...Array.from({ length: 101 }, (_, n) => ({ files: { "src/n.ts": `export const n = ${n};\n` } })),
        );
        for (const head of heads) {
          await webhook(last, head);
          last = head;
        }
      },
    });
    await webhook(base, first);
    await product.work();
    expect(product.reviewed).toEqual([`${base}..${first}`, `${first}..${last}`]);
    expect(await product.store.reviews({ limit: 9 })).toHaveLength(2);
  });

  test("E6: a VCS that is down is a failure that is retried and then shown to the operators, and never no changed files", async () => {
    const old = push("old");
    let isDown = false;
    const outage = new AppError("unavailable", "The server cannot be reached.", { remedy: "Start it." });
    await start({
      vcs: (real) => ({
        ...real,
        resolve: async (...given) => {
          if (isDown) throw outage;
          return real.resolve(...given);
        },
      }),
    });
    await product.poll();
    const head = push("new");
    await product.poll();
    isDown = true;
    for (let minute = 0; minute < 15; minute++) {
      await product.work();
      product.clock.advance(60_000);
    }
    const [failed] = await product.store.reviews({ limit: 1 });
    expect(failed).toMatchObject({ status: "failed", attempt: 5, failure: { code: "unavailable" } });
    expect(product.channel.kept.map(({ ref }) => ref.conversation)).toEqual(["operators"]);
    expect(JSON.stringify(product.channel.kept[0]?.content as Page)).toContain("The server cannot be reached.");
    isDown = false;
    const next = push("next");
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([`${old}..${next}`]);
    expect(head).not.toBe(next);
  });

  test("what a branch was forced away from before its review is superseded, not failed", async () => {
    const old = push("old");
    let lost = "";
    await start({
      vcs: (real) => ({
        ...real,
        // A remote does not hand out what no ref leads to.
        resolve: async (request, limits) => {
          if (request.spec !== lost) return real.resolve(request, limits);
          throw new AppError("not_found", "There is no such commit.", { remedy: "Name another one." });
        },
      }),
    });
    await product.poll();
    lost = push("lost", "refs/heads/topic", main);
    await product.poll();
    const kept = push("kept", "refs/heads/other", main);
    git.git("update-ref", "refs/heads/topic", kept);
    git.git("update-ref", "-d", "refs/heads/other");
    await product.work();
    expect((await product.store.reviews({ limit: 1 }))[0]?.status).toBe("superseded");
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([`${old}..${kept}`]);
    expect(product.channel.kept).toEqual([]);
  });

  test("paths and authors decide before the agent is started; branches before there is a review", async () => {
    push("old");
    const filters = { ...noFilters, branches: ["main"], paths: ["docs/**"], notAuthors: ["*[bot]"] };
    await start({ subscriptions: [{ filters }] });
    await product.poll();
    push("topic", "refs/heads/topic", main);
    push("code");
    await product.poll();
    await product.work();
    git.commit({ author: "ci[bot]", files: { "docs/a.md": "a\n" } });
    await product.poll();
    await product.work();
    expect(product.reviewed).toEqual([]);
    const reviews = await product.store.reviews({ limit: 9 });
    expect(reviews.map(({ skipReason }) => skipReason)).toEqual([
      "no_matching_subscription",
      "no_matching_subscription",
    ]);
    git.commit({ files: { "docs/b.md": "b\n" } });
    await product.poll();
    await product.work();
    expect(product.reviewed).toHaveLength(1);
  });

  test("a lost cursor reviews what was pushed meanwhile, and nothing twice", async () => {
    push("old");
    await start();
    await product.poll();
    const known = push("known");
    await product.poll();
    await product.work();
    await product.store.moveCursor({ repository: "game", source: "git", cursor: "damaged", now: product.clock.now() });
    await product.poll();
    await product.work();
    expect(product.reviewed).toHaveLength(1);
    const missed = push("missed");
    await product.store.moveCursor({ repository: "game", source: "git", cursor: "damaged", now: product.clock.now() });
    await product.poll();
    await product.work();
    expect(product.reviewed[1]).toBe(`${known}..${missed}`);
    expect(pollMs).toBeGreaterThan(0);
  });
});
