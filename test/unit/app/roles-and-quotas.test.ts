// Who may do what: roles by person, group and conversation, refusals that tell nothing, and quotas that leave others alone.
import { afterEach, describe, expect, it } from "vitest";
import { createQuota } from "../../../src/app/quota.ts";
import { type RoleGrant, roleOf } from "../../../src/core/roles.ts";
import {
  type CommandProduct,
  type CommandProductOptions,
  createCommandProduct,
  otherConversation,
} from "../../fakes/command-product.ts";
import { fakeConversation } from "../../fakes/fake-channel.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

let product: CommandProduct;
async function start(options: CommandProductOptions = {}): Promise<CommandProduct> {
  product = await createCommandProduct(options);
  return product;
}
afterEach(() => product?.remove());

const { channel, workspace } = fakeConversation;
const grant = (given: Partial<RoleGrant>): RoleGrant => ({
  role: "maintainer",
  channel,
  workspace,
  people: [],
  groups: [],
  conversations: [],
  ...given,
});

describe("roles", () => {
  const seen = (person: string, groups: readonly string[] = []) => ({
    conversation: fakeConversation,
    person: { channel, workspace, person },
    groups,
    roles: [],
  });

  it("are given to people, to groups, and to everybody of a conversation", () => {
    const here = fakeConversation.conversation;
    expect(roleOf(seen("u1"), [])).toBe("member");
    expect(roleOf(seen("u1"), [grant({ people: ["u1"] })])).toBe("maintainer");
    expect(roleOf(seen("u2"), [grant({ people: ["u1"] })])).toBe("member");
    expect(roleOf(seen("u2", ["g1"]), [grant({ groups: ["g1"], people: ["u1"] })])).toBe("maintainer");
    expect(roleOf(seen("u2"), [grant({ conversations: [here] })])).toBe("maintainer");
    expect(roleOf(seen("u1"), [grant({ conversations: ["elsewhere"], people: ["u1"] })])).toBe("member");
    expect(roleOf(seen("u1"), [grant({ workspace: "T2", people: ["u1"] })])).toBe("member");
    expect(roleOf(seen("u1"), [grant({ people: ["u1"] }), grant({ role: "admin", people: ["u1"] })])).toBe("admin");
    expect(roleOf({ ...seen("u1"), roles: ["admin"] }, [grant({ people: ["u1"] })])).toBe("admin");
  });

  it.each(["subscribe demo", "unsubscribe demo", "mute 2h", "unmute", "dismiss fd_1 no", "reopen fd_1"])(
    "a member's %j is refused like what does not exist, and audited",
    async (command) => {
      const { say, store } = await start();
      const audited: object[] = [];
      const { audit } = store;
      Object.assign(store, { audit: async (entry: Parameters<typeof audit>[0]) => void audited.push(entry) });
      const { text, reply } = await say(command, { person: "mallory" });
      expect(text).toMatch(/was not found, or is not allowed here/);
      expect(reply.visibility).toBe("asker");
      expect(audited).toMatchObject([{ actor: `${channel}:${workspace}:mallory`, outcome: "refused" }]);
      expect(await store.subscriptionsOf("demo")).toEqual([]);
      expect(await store.mutesIn(fakeConversation, 0)).toEqual([]);
    },
  );

  it("come from the platform too, and from groups", async () => {
    const { say } = await start({ roles: [grant({ groups: ["leads"] })] });
    expect((await say("mute 2h", { person: "bob", groups: ["leads"] })).text).toContain("bob muted everything");
    expect((await say("unmute", { person: "eve", roles: ["admin"] })).text).toContain("eve ended the mute");
  });
});

describe("what may not be seen", () => {
  it("has the same answer as what does not exist, in every verb", async () => {
    const { say } = await start({ secretTo: [otherConversation] });
    const answers = async (name: string) =>
      Promise.all(
        [`${name} HEAD`, `why ${name} HEAD`, `findings ${name}`, `subscribe ${name}`, `mute 2h ${name}`].map(
          async (command) => (await say(command)).text.replaceAll(name, "<name>"),
        ),
      );
    expect(await answers("secret")).toEqual(await answers("nowhere"));
    expect((await say("secret HEAD", { conversation: otherConversation })).reply.reviewId).toBeDefined();
  });

  it("cannot be reached through the ids of its reviews", async () => {
    const { say, store } = await start({ secretTo: [otherConversation] });
    const { reply } = await say("secret HEAD", { conversation: otherConversation });
    const id = reply.reviewId ?? "";
    for (const verb of ["status", "cancel", "rerun"]) {
      const known = (await say(`${verb} ${id}`)).text.replaceAll(id, "<id>");
      expect(known).toBe((await say(`${verb} rv_none`)).text.replaceAll("rv_none", "<id>"));
    }
    expect(await store.review("rv_000001")).toMatchObject({ status: "queued" });
  });
});

describe("cancel and rerun", () => {
  it("are anybody's for one's own review, and a maintainer's for another's", async () => {
    const { say, store, notes } = await start();
    const { reply } = await say("demo main", { person: "bob" });
    const id = reply.reviewId ?? "";
    expect((await say(`cancel ${id}`, { person: "eve" })).text).toContain("not allowed here");
    expect((await say(`cancel ${id}`, { person: "bob" })).text).toContain(`Cancelled ${id}`);
    expect(notes).toEqual([{ review: id, note: { kind: "cancelled" } }]);
    expect((await say(`cancel ${id}`, { person: "ada" })).text).toContain("already ended");
    expect((await say(`rerun ${id}`, { person: "eve" })).text).toContain("not allowed here");
    const again = (await say(`rerun ${id}`, { person: "ada" })).reply.reviewId;
    expect(await store.review("rv_000002")).toMatchObject({ id: again, rerunOf: id, spec: "main" });
  });
});

describe("quotas", () => {
  it("hold for a person and for a conversation, and fill up again", () => {
    const clock = createFakeClock();
    const take = createQuota({ person: 2, conversation: 3, admin: 5 }, clock);
    const ask = (person: string, role: "member" | "admin" = "member") =>
      take({ conversation: fakeConversation, person: { channel, workspace, person }, role }).granted;
    expect([ask("a"), ask("a"), ask("a")]).toEqual([true, true, false]);
    expect([ask("b"), ask("b")]).toEqual([true, false]);
    expect(Array.from({ length: 6 }, () => ask("root", "admin"))).toEqual([true, true, true, true, true, false]);
    clock.advance(20_000);
    expect([ask("b"), ask("b")]).toEqual([true, false]);
    clock.advance(10_000);
    expect(ask("a")).toBe(false);
    clock.advance(30_000);
    expect([ask("a"), ask("a"), ask("a")]).toEqual([true, true, false]);
  });

  it("say when to ask again", () => {
    const clock = createFakeClock();
    const take = createQuota({ person: 1, conversation: 100, admin: 1 }, clock);
    const asker = {
      conversation: fakeConversation,
      person: { channel, workspace, person: "a" },
      role: "member",
    } as const;
    take(asker);
    clock.advance(15_000);
    expect(take(asker)).toEqual({ granted: false, perMinute: 1, retryAfterMs: 45_000 });
  });

  it("keep a thousand requests of one person from everybody else", async () => {
    const { say, store, clock } = await start();
    const answers = [];
    for (let request = 0; request < 1_000; request++) answers.push(await say("demo main", { person: "flood" }));
    expect(answers.filter(({ reply }) => reply.reviewId !== undefined)).toHaveLength(10);
    expect(answers.at(-1)?.text).toMatch(/more than 10 reviews a minute.*Ask again in 6 seconds/s);
    const { reply } = await say("game main", { person: "bob" });
    const claim = (worker: string) =>
      store.claimJob({ worker, token: worker, leaseMs: 60_000, maxAttempts: 3, now: clock.now() });
    const first = await claim("w1");
    const second = await claim("w2");
    expect(first?.review.requester).toMatchObject({ person: { person: "flood" } });
    // Nine more of the flood are older; the other person's is next all the same.
    expect(second?.review.id).toBe(reply.reviewId);
  });
});
