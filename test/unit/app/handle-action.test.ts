// Buttons against the real store and a strict channel: whoever presses what, it happens once, and the card shows it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createComposeDelivery } from "../../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../../src/app/deliver.ts";
import { createHandleAction, type HandleAction } from "../../../src/app/handle-action.ts";
import { createShowFinding } from "../../../src/app/show-finding.ts";
import { createTurns } from "../../../src/app/turns.ts";
import { createActionCards } from "../../../src/cards/action-cards.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { blocksText as blocksToText } from "../../../src/cards/readable-text.ts";
import { ACTION_LIFE_MS } from "../../../src/core/action.ts";
import type { AssessedProblem } from "../../../src/core/problem.ts";
import type { Role } from "../../../src/core/roles.ts";
import type { ChannelForm, InboundAction, InboundCommand } from "../../../src/ports/channel.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { change, finding, problem, reviewed } from "../../contract/store-samples.ts";
import { createFakeChannel, type FakeChannel, fakeConversation, type KeptMessage } from "../../fakes/fake-channel.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const texts = createTexts({ folders: [] });
const links = () => noLinks;
const noDigest = () => Promise.reject(new Error("no digest is owed"));
const ann = { channel: "fake", workspace: "w", person: "U1", name: "Ann" };
const bob = { channel: "fake", workspace: "w", person: "U2", name: "Bob" };

describe("createHandleAction", () => {
  let temp: TempStore;
  let clock: FakeClock;
  let channel: FakeChannel;
  let forms: ChannelForm[];
  let commands: InboundCommand[];
  let visible: string[];
  let audit: string[];
  let told: string[];
  let handle: HandleAction;
  let events = 0;

  beforeEach(async () => {
    temp = await createTempStore();
    clock = createFakeClock();
    forms = [];
    commands = [];
    audit = [];
    told = [];
    visible = ["demo"];
    useChannel(true);
  });
  afterEach(() => temp.remove());

  function useChannel(hasForms: boolean, edit = true): void {
    channel = createFakeChannel("fake", { capabilities: { forms: hasForms, edit } });
    channel = { ...channel, ask: async (_trigger, form) => void forms.push(form) };
    const rank: Record<Role, number> = { member: 0, maintainer: 1, admin: 2 };
    const channels = new Map([["fake", channel]]);
    const cards = createActionCards({ texts, links, command: "/review" });
    const inTurn = createTurns();
    const showFinding = createShowFinding({ store: temp.store, channels, cards, inTurn, clock, logger: silentLogger });
    handle = createHandleAction({
      store: temp.store,
      channels,
      showFinding,
      inTurn,
      authorise: {
        visible: () => visible,
        roleOf: ({ roles }) => roles[0] ?? "member",
        may: (role, verb) => rank[role] >= (["dismiss", "reopen", "mute"].includes(verb) ? 1 : 0),
        refused: async (_conversation, person, action) => void audit.push(`${person} refused ${action}`),
        done: async (_conversation, person, action) => void audit.push(`${person} done ${action}`),
      },
      command: async (inbound) => {
        commands.push(inbound);
        return null;
      },
      tellAuditors: async (_finding, { kind, by }) => void told.push(`${kind} by ${by}`),
      cards,
      clock,
      logger: silentLogger,
      defaultLocale: "en",
    });
  }

  /** Delivers a report of these problems the way the product does. */
  async function post(problems: readonly AssessedProblem[] = [problem("f1")]): Promise<void> {
    const ids = createFixedIds();
    await reviewed(
      temp.store,
      {},
      {
        result: { status: "reported", report: { outcome: "reported", problems, summaries: [] } },
        findings: problems.map(({ fingerprint }) => finding(fingerprint)),
        deliveries: [{ id: ids.next("dl"), kind: "report", target: { conversation: fakeConversation }, locale: "en" }],
        now: clock.now(),
      },
      change(),
    );
    const compose = createComposeDelivery({ store: temp.store, texts, links, clock, ids, digest: noDigest });
    const channels = new Map([["fake", channel]]);
    const next = createDeliverNext({ store: temp.store, channels, compose, clock, ids, logger: silentLogger });
    while (await next());
  }

  const publicCards = (): KeptMessage[] => channel.kept.filter(({ onlyFor }) => onlyFor === undefined);
  const privateTitles = (): string[] =>
    channel.kept.flatMap(({ onlyFor, content }) =>
      onlyFor !== undefined && "card" in content ? [content.card.title] : [],
    );
  const cardOf = (index: number) => {
    const content = publicCards()[index]?.content;
    if (content === undefined || !("card" in content)) throw new Error(`no card ${index}`);
    return content.card;
  };
  const buttonsOf = (index: number) =>
    cardOf(index).blocks.flatMap((block) => (block.kind === "actions" ? block.actions : []));
  const labels = (index: number) => buttonsOf(index).map(({ label }) => label);

  function pressing(index: number, label: string, more: Partial<InboundAction> = {}): InboundAction {
    const token = buttonsOf(index).find((button) => button.label === label)?.token;
    const message = publicCards()[index]?.ref;
    if (token === undefined || message === undefined) throw new Error(`no button ${label} on card ${index}`);
    const by: Pick<InboundAction, "person" | "roles" | "values"> = { person: ann, roles: ["maintainer"], values: {} };
    return { conversation: fakeConversation, eventId: `e${++events}`, token, message, ...by, ...more };
  }

  it("puts Re-run on the root, and what can be done about a problem on its card", async () => {
    await post();
    expect(labels(0)).toEqual(["Re-run"]);
    expect(labels(1)).toEqual(["Dismiss", "Acknowledge", "Mute this kind"]);
    expect(buttonsOf(1).every(({ token }) => /^v1:[0-9A-Za-z]{1,60}$/.test(token ?? ""))).toBe(true);
  });

  it("asks for a reason, dismisses once, shows who and why, and offers to reopen", async () => {
    await post();
    const press = pressing(1, "Dismiss");
    await handle(press);
    expect(forms).toEqual([
      {
        title: "Why is this no problem?",
        token: press.token,
        fields: [{ name: "reason", label: "Reason", multiline: false, required: true }],
      },
    ]);
    expect(labels(1)).toContain("Dismiss");
    await handle({ ...press, eventId: "answer", values: { reason: " by design " } });
    expect(blocksToText(cardOf(1).blocks)).toContain("Dismissed by Ann: by design");
    expect(labels(1)).toEqual(["Reopen"]);
    const [known] = await temp.store.findingsByKeys("demo", ["f1"]);
    expect(known?.dismissed).toMatchObject({ by: "Ann", reason: "by design" });
    expect(audit).toEqual(["U1 done button dismiss"]);
  });

  it("keeps the first dismissal and tells who comes later; the same click twice says nothing", async () => {
    await post();
    const press = pressing(1, "Dismiss", { values: { reason: "by design" } });
    await handle(press);
    await handle({ ...press, eventId: "again" });
    expect(privateTitles()).toEqual([]);
    await handle({ ...press, eventId: "late", person: bob, values: { reason: "mine" } });
    expect(privateTitles()).toEqual(["It was dismissed already, by Ann"]);
    expect(audit).toEqual(["U1 done button dismiss"]);
    expect(blocksToText(cardOf(1).blocks)).toContain("Dismissed by Ann: by design");
  });

  it("reopens, and all buttons are back", async () => {
    await post();
    await handle(pressing(1, "Dismiss", { values: { reason: "by design" } }));
    await handle(pressing(1, "Reopen"));
    expect(told).toEqual(["dismissed by Ann", "reopened by Ann"]);
    expect(labels(1)).toEqual(["Dismiss", "Acknowledge", "Mute this kind"]);
    expect(blocksToText(cardOf(1).blocks)).not.toContain("Dismissed");
    expect((await temp.store.findingsByKeys("demo", ["f1"]))[0]?.dismissed).toBeNull();
  });

  it("gives the command for the reason where a platform has no forms", async () => {
    useChannel(false);
    await post();
    await handle(pressing(1, "Dismiss"));
    const [known] = await temp.store.findingsByKeys("demo", ["f1"]);
    expect(channel.kept.at(-1)).toMatchObject({ onlyFor: "U1" });
    expect(JSON.stringify(channel.kept.at(-1)?.content)).toContain(`/review dismiss ${known?.id}`);
    expect(known?.dismissed).toBeNull();
  });

  it("says who has seen a problem, which stays open", async () => {
    await post();
    await handle(pressing(1, "Acknowledge", { roles: [] }));
    await handle(pressing(1, "Acknowledge", { person: bob, roles: [] }));
    await handle(pressing(1, "Acknowledge", { roles: [] }));
    expect(blocksToText(cardOf(1).blocks)).toContain("Seen by Ann, Bob");
    expect(told).toEqual(["acknowledged by Ann", "acknowledged by Bob"]);
    expect(labels(1)).toContain("Dismiss");
    expect((await temp.store.findings({ repository: "demo", state: "open", limit: 5 })).total).toBe(1);
  });

  it("mutes a kind for seven days and tells so on the card", async () => {
    await post();
    await handle(pressing(1, "Mute this kind"));
    const [mute] = await temp.store.kindMutes(fakeConversation, "demo", clock.now());
    expect(mute).toMatchObject({ category: "correctness", until: clock.now() + 7 * 86_400_000, by: "Ann" });
    expect(blocksToText(cardOf(1).blocks)).toMatch(
      /The kind correctness in demo is muted here until \d{4}-\d\d-\d\d, by Ann/,
    );
    expect(labels(1)).toEqual(["Dismiss", "Acknowledge"]);
    expect(told).toEqual(["kind_muted by Ann"]);
    expect(privateTitles()[0]).toContain("are muted here until");
  });

  it("runs a review again through the command, once for a double click", async () => {
    await post();
    const press = pressing(0, "Re-run");
    await handle(press);
    await handle({ ...press, eventId: "again" });
    expect(commands).toHaveLength(2);
    expect(commands[0]).toMatchObject({
      text: expect.stringMatching(/^rerun rv_/),
      person: ann,
      roles: ["maintainer"],
    });
    expect(commands[1]?.eventId).toBe(commands[0]?.eventId);
    clock.advance(60_000);
    await handle({ ...press, eventId: "later" });
    expect(commands[2]?.eventId).not.toBe(commands[0]?.eventId);
  });

  it("shows privately what the thread left out, as often as anybody asks", async () => {
    await post(Array.from({ length: 53 }, (_, n) => problem(`f${String(n).padStart(2, "0")}`)));
    expect(labels(0)).toEqual(["Re-run", "Show more"]);
    await handle(pressing(0, "Show more", { roles: [] }));
    await handle(pressing(0, "Show more", { person: bob, roles: [] }));
    expect(privateTitles()).toEqual(["3 more problems in demo", "3 more problems in demo"]);
  });

  describe("refuses kindly, changes nothing, and notes it", () => {
    const cases: [why: string, title: string, more: Partial<InboundAction>][] = [
      ["an unknown token", "This button no longer works", { token: "v1:nobody" }],
      ["another tenant", "This button no longer works", { conversation: { ...fakeConversation, workspace: "other" } }],
      [
        "another conversation",
        "This button belongs to another conversation",
        { conversation: { ...fakeConversation, conversation: "other" } },
      ],
      [
        "another message",
        "This button belongs to another conversation",
        { message: { ...fakeConversation, message: "m1" } },
      ],
      ["a member", "Not found or not allowed", { roles: [] }],
    ];
    it.each(cases)("%s", async (_why, title, more) => {
      await post();
      await handle(pressing(1, "Dismiss", { values: { reason: "mine" }, ...more }));
      expect(privateTitles()).toEqual([title]);
      expect((await temp.store.findingsByKeys("demo", ["f1"]))[0]?.dismissed).toBeNull();
      expect(audit).toHaveLength(1);
      expect(audit[0]).toContain("refused");
    });

    it("a repository that the conversation may not see any more", async () => {
      await post();
      visible = [];
      await handle(pressing(1, "Acknowledge"));
      expect(privateTitles()).toEqual(["Not found or not allowed"]);
    });

    it("a button older than 30 days", async () => {
      await post();
      const press = pressing(1, "Dismiss", { values: { reason: "mine" } });
      clock.advance(ACTION_LIFE_MS);
      await handle(press);
      expect(privateTitles()).toEqual(["This button is too old"]);
      expect((await temp.store.findingsByKeys("demo", ["f1"]))[0]?.dismissed).toBeNull();
    });
  });

  it("tells the person where the card cannot be edited", async () => {
    useChannel(true, false);
    await post();
    await handle(pressing(1, "Dismiss", { values: { reason: "by design" } }));
    expect(privateTitles()).toEqual(["Dismissed by Ann: by design"]);
  });

  it("keeps both of two presses at the same time", async () => {
    await post();
    await Promise.all([
      handle(pressing(1, "Acknowledge", { person: bob })),
      handle(pressing(1, "Dismiss", { values: { reason: "<!channel> @everyone" } })),
    ]);
    const text = blocksToText(cardOf(1).blocks);
    expect(text).toContain("Seen by Bob");
    expect(text).toContain("Dismissed by Ann");
    expect(text).not.toMatch(/<!channel|@everyone/);
  });
});
