// Subscriptions and mutes by command: kept, shown, merged with the configuration's, and obeyed when a change is published.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noFilters } from "../../../src/core/subscription.ts";
import {
  type CommandProduct,
  type CommandProductOptions,
  createCommandProduct,
  otherConversation,
} from "../../fakes/command-product.ts";
import { fakeConversation } from "../../fakes/fake-channel.ts";
import { assessed } from "../../fakes/problems.ts";
import { publishChange } from "../../fakes/publish-change.ts";

const hour = 3_600_000;
let product: CommandProduct;

async function start(options: CommandProductOptions = {}): Promise<void> {
  product = await createCommandProduct(options);
}

/** What each delivery of a newly published change came to, in this conversation. */
async function published(problems = [assessed("p1", "high")], change = {}): Promise<readonly object[]> {
  const { store, clock, directory } = product;
  const id = await publishChange({ store, clock, subscriptions: directory, problems, change });
  const decided = await store.deliveriesOf(id);
  return decided.map(({ kind, state, reason, dueAt, locale }) => ({ kind, state, reason, dueAt, locale }));
}

const report = { kind: "report", state: "pending", reason: undefined, dueAt: undefined, locale: "en" };

beforeEach(() => start());
afterEach(() => product.remove());

describe("subscribe", () => {
  it("makes a conversation hear of changes, at once and by its terms", async () => {
    expect(await published()).toEqual([]);
    const { text, reply } = await product.say("subscribe demo severity:high branch:main lang:vi");
    expect(text).toContain("ada đã đăng ký demo");
    expect(text).toContain("/review subscribe demo branch:main severity:high");
    expect(reply.visibility).toBe("everyone");
    expect(await published()).toEqual([{ ...report, locale: "vi" }]);
    expect(await published([assessed("p2", "low")])).toMatchObject([
      { state: "suppressed", reason: "no_problems_suppressed" },
    ]);
    expect(await published(undefined, { ref: "refs/heads/topic" })).toEqual([]);
  });

  it("replaces what was subscribed before", async () => {
    await product.say("subscribe demo severity:high");
    const { text } = await product.say("subscribe demo mode:audit");
    expect(text).toContain("changed this conversation’s subscription to demo");
    expect(await published([])).toMatchObject([{ kind: "audit", state: "pending" }]);
    expect(await product.store.subscriptionsOf("demo")).toHaveLength(1);
  });

  it("takes paths as the repository's server writes them", async () => {
    const said = (await product.say("subscribe depot path://depot/game/src/... -path://depot/game/gen/...")).text;
    expect(said).toContain("subscribe depot path:src/** -path:gen/**");
    expect((await product.say("subscribe depot path://elsewhere/...")).text).toContain("lies outside of depot");
    const [stored] = await product.store.subscriptionsOf("depot");
    expect(stored?.filters).toEqual({ ...noFilters, paths: ["src/**"], notPaths: ["gen/**"] });
  });

  it("ends with unsubscribe", async () => {
    await product.say("subscribe demo");
    expect((await product.say("unsubscribe demo")).text).toContain("unsubscribed this conversation from demo");
    expect(await published()).toEqual([]);
    expect((await product.say("unsubscribe demo")).text).toContain("not subscribed to demo");
  });
});

describe("the configuration's subscriptions", () => {
  beforeEach(async () => {
    await product.remove();
    await start({
      subscriptions: [
        { conversation: fakeConversation, repository: "demo", filters: noFilters, mode: "audit", severity: "info" },
      ],
    });
  });

  it("win over commands, which say so", async () => {
    for (const command of ["subscribe demo", "unsubscribe demo"]) {
      const { text, reply } = await product.say(command);
      expect(text).toContain("comes from the configuration");
      expect(reply.visibility).toBe("asker");
    }
    expect(await product.store.subscriptionsOf("demo")).toEqual([]);
  });

  it("win over one that was stored before, which is listed as not in force", async () => {
    const { store } = product;
    const owner = { channel: "fake", workspace: "w", person: "ada" };
    await store.saveSubscription({
      id: "sb_old",
      conversation: fakeConversation,
      repository: "demo",
      filters: noFilters,
      mode: "report",
      severity: "info",
      owner,
      createdAt: 1,
    });
    expect((await published()).map((one) => one)).toMatchObject([{ kind: "report" }, { kind: "audit" }]);
    const { text } = await product.say("subscriptions");
    expect(text).toContain("demo (from the configuration) demo mode:audit");
    expect(text).toContain("demo (not in force: the configuration’s wins)");
  });
});

describe("a conversation that may not see a repository any more", () => {
  it("hears nothing of it, and is not told its name", async () => {
    await product.store.saveSubscription({
      id: "sb_1",
      conversation: fakeConversation,
      repository: "secret",
      filters: noFilters,
      mode: "report",
      severity: "info",
      owner: { channel: "fake", workspace: "w", person: "ada" },
      createdAt: 1,
    });
    expect(await product.directory.of("secret")).toEqual([]);
    expect((await product.say("subscriptions")).text).not.toContain("secret");
  });
});

describe("mute", () => {
  it("beats everything, says so in why, and ends by itself", async () => {
    await product.say("subscribe demo no_problems:publish");
    const { text } = await product.say("mute 2h demo");
    expect(text).toContain("ada muted demo here until Mar 10, 2026, 14:00 (UTC)");
    expect(await published()).toEqual([{ ...report, state: "suppressed", reason: "muted" }]);
    expect((await product.say(`why demo ${"a".repeat(40)}`)).text).toContain("The conversation was muted.");
    product.clock.advance(2 * hour);
    expect(await published([assessed("p1", "high")])).toEqual([report]);
  });

  it("takes back what waits, and leaves other conversations alone", async () => {
    await product.say("subscribe demo");
    await product.say("subscribe demo", { conversation: otherConversation });
    await published();
    await product.say("mute 1d");
    expect(product.woken.deliveries).toBe(1);
    const [first] = await product.store.reviews({ limit: 1 });
    const states = (await product.store.deliveriesOf(first?.id ?? "rv_")).map(({ state, reason }) => [state, reason]);
    expect(states.sort()).toEqual([
      ["pending", undefined],
      ["suppressed", "muted"],
    ]);
  });

  it("ends with unmute, and is listed while it holds", async () => {
    expect((await product.say("unmute")).text).toContain("Nothing is muted here");
    await product.say("mute 30m demo");
    expect((await product.say("subscriptions")).text).toContain(
      "demo is muted until Mar 10, 2026, 12:30 (UTC), by ada",
    );
    expect((await product.say("unmute demo")).text).toContain("ended the mute of demo");
    expect((await product.say("subscriptions")).text).not.toContain("muted");
  });
});

describe("quiet hours", () => {
  it("put a delivery off until they end by the subscription's clock", async () => {
    await product.say("subscribe demo quiet:19:00-07:00 tz:Asia/Ho_Chi_Minh");
    // Noon in UTC is seven in the evening in Hanoi.
    const dueAt = Date.UTC(2026, 2, 11, 0);
    expect(await published()).toEqual([{ ...report, dueAt }]);
    const { text } = await product.say("why demo aaaaaaa");
    expect(text).toContain("The report waits for the end of quiet hours, Mar 11, 2026, 07:00 (Asia/Ho_Chi_Minh).");
    product.clock.advance(12 * hour);
    expect(await published([assessed("p2")])).toEqual([report]);
  });
});

describe("the language of a conversation", () => {
  it("is the command's, else its subscription's, else the client's, else the installation's", async () => {
    const first = async (text: string, locale?: string) =>
      (await product.say(text, locale === undefined ? {} : { locale })).text.split("\n")[0];
    expect(await first("help")).toBe("Commands");
    expect(await first("help", "zh-CN")).toBe("命令");
    await product.say("subscribe demo lang:vi");
    expect(await first("help", "zh-CN")).toBe("Các lệnh");
    expect(await first("help lang:en", "zh-CN")).toBe("Commands");
  });
});

describe("matching", () => {
  it("reads only the subscriptions of the repository at hand, and those once", async () => {
    const asked: string[] = [];
    const { store } = product;
    const { createSubscriptionDirectory } = await import("../../../src/app/subscription-directory.ts");
    const directory = createSubscriptionDirectory({
      store: {
        subscriptionsOf: (repository) => {
          asked.push(repository);
          return store.subscriptionsOf(repository);
        },
        subscriptionsIn: store.subscriptionsIn,
      },
      configured: [],
      configuredLanguage: () => null,
      visibility: { repositoriesFor: () => ["demo", "game"] },
      noProblems: () => "suppress",
      defaultLocale: "en",
    });
    await directory.of("demo");
    await directory.of("demo");
    expect(asked).toEqual(["demo"]);
    directory.changed("demo");
    await directory.of("demo");
    expect(asked).toEqual(["demo", "demo"]);
  });
});
