// Findings by command: listed by gravity, dismissed with a reason that is shown, silent until somebody reopens them.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FindingId, ReviewId } from "../../../src/core/ids.ts";
import { type AssessedProblem, severities } from "../../../src/core/problem.ts";
import { type CommandProduct, createCommandProduct, otherConversation } from "../../fakes/command-product.ts";
import { assessed } from "../../fakes/problems.ts";
import { publishChange } from "../../fakes/publish-change.ts";

let product: CommandProduct;

beforeEach(async () => {
  product = await createCommandProduct();
  await product.say("subscribe demo");
});
afterEach(() => product.remove());

async function publish(...problems: readonly AssessedProblem[]): Promise<ReviewId> {
  const { store, clock, directory } = product;
  return publishChange({ store, clock, subscriptions: directory, problems });
}

async function idOf(fingerprint: string): Promise<FindingId> {
  const [found] = await product.store.findingsByKeys("demo", [fingerprint]);
  if (found === undefined) throw new Error(`no finding ${fingerprint}`);
  return found.id;
}

it("lists what is open, gravest first, with ids, places and titles", async () => {
  expect((await product.say("findings demo")).text).toContain("No finding is open in demo");
  await publish(...severities.map((severity) => assessed(severity, severity)));
  const { text } = await product.say("findings demo");
  const lines = text.split("\n").filter((line) => line.includes("src/a.ts:3"));
  expect(lines.map((line) => /Problem (\w+)/.exec(line)?.[1])).toEqual([...severities].reverse());
  expect(lines[0]).toContain(`Critical · src/a.ts:3 · Problem critical ${await idOf("critical")}`);
  expect(text).toContain("5 open findings in demo");
});

it("counts what does not fit the list", async () => {
  await publish(...Array.from({ length: 23 }, (_, index) => assessed(`p${index}`)));
  expect((await product.say("findings demo")).text).toContain("and 3 more");
});

it("keeps a dismissed finding silent on every later change until it is reopened", async () => {
  await publish(assessed("p1"));
  const id = await idOf("p1");
  const { text, reply } = await product.say(`dismiss ${id} 误报，已确认 “ok”`);
  expect(text).toContain("ada dismissed src/a.ts:3");
  expect(text).toContain("Reason: 误报，已确认 “ok”");
  expect(reply.visibility).toBe("everyone");
  for (const _ of [1, 2]) {
    const silent = await product.store.deliveriesOf(await publish(assessed("p1")));
    expect(silent).toMatchObject([{ state: "suppressed", reason: "no_problems_suppressed" }]);
  }
  const heard = await product.store.deliveriesOf(await publish(assessed("p1"), assessed("p2")));
  expect(heard).toMatchObject([{ kind: "report", state: "pending", facts: { fresh: ["p2"] } }]);
  const dismissed = (await product.say("findings demo dismissed")).text;
  expect(dismissed).toContain("Dismissed by ada: 误报，已确认 “ok”");
  expect((await product.say(`dismiss ${id} again`)).text).toContain("was dismissed by ada before");
  expect((await product.say(`reopen ${id}`)).text).toContain("ada reopened src/a.ts:3");
  expect((await product.say(`reopen ${id}`)).text).toContain("is not dismissed");
  const again = await product.store.deliveriesOf(await publish(assessed("p1")));
  expect(again).toMatchObject([{ kind: "report", state: "pending" }]);
});

it("knows no finding of a repository that may not be seen", async () => {
  await product.remove();
  product = await createCommandProduct({ secretTo: [otherConversation] });
  const { store, clock, directory } = product;
  await publishChange({
    store,
    clock,
    subscriptions: directory,
    problems: [assessed("p1")],
    change: { repository: "demo" },
  });
  const id = await idOf("p1");
  const elsewhere = await product.say(`dismiss ${id.slice(0, -1)}zz why`);
  expect(elsewhere.text).toContain("was not found, or is not allowed here");
  expect((await product.say("dismiss nonsense why")).text).toContain("was not found, or is not allowed here");
});

it("links a person to a VCS user once, and to nobody else's", async () => {
  expect((await product.say("link Alice@Example.org", { person: "bob" })).text).toContain("You are Alice@Example.org");
  expect((await product.say("link alice@example.org", { person: "bob" })).text).toContain("already");
  expect((await product.say("link alice@example.org", { person: "eve" })).text).toContain("belongs to somebody else");
  const who = { channel: "fake", workspace: otherConversation.workspace, users: ["ALICE@example.org"] };
  expect(await product.store.personOf(who)).toMatchObject({ person: "bob" });
});
