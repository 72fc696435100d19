// A person's own page: what they subscribed, wherever that is, and what is open there; nothing that may not be seen any more.
import { afterEach, beforeEach, expect, it } from "vitest";
import { cardText } from "../../../channels/kit/plain-text.ts";
import { createShowHome, type ShowHome } from "../../../src/app/show-home.ts";
import { createHomeCard } from "../../../src/cards/home-card.ts";
import type { ConversationRef } from "../../../src/core/delivery.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { type CommandProduct, createCommandProduct, otherConversation } from "../../fakes/command-product.ts";
import { fakeConversation } from "../../fakes/fake-channel.ts";
import { assessed } from "../../fakes/problems.ts";
import { publishChange } from "../../fakes/publish-change.ts";

const direct: ConversationRef = { ...fakeConversation, conversation: "direct" };
let product: CommandProduct;
let home: ShowHome;
let hidden: readonly string[];

beforeEach(async () => {
  product = await createCommandProduct();
  hidden = [];
  home = createShowHome({
    store: product.store,
    visibility: { repositoriesFor: () => ["demo", "depot"].filter((alias) => !hidden.includes(alias)) },
    card: createHomeCard({ texts: createTexts({ folders: [] }), command: "/review" }),
    repositories: ["demo", "depot"],
    defaultLocale: "en",
  });
});
afterEach(() => product.remove());

async function shown(person = "ada", locale?: string): Promise<string> {
  const { card } = await home({
    conversation: direct,
    person: { channel: fakeConversation.channel, workspace: fakeConversation.workspace, person },
    roles: [],
    nameOf: async ({ conversation }) => (conversation === "other" ? "reviews" : null),
    ...(locale === undefined ? {} : { locale }),
  });
  return cardText(card);
}

it("tells how to begin where nothing is subscribed", async () => {
  expect(await shown()).toContain("/review subscribe");
  expect(await shown("ada", "zh-CN")).toContain("您还没有订阅任何内容");
});

it("lists what the person subscribed, where, and what is open there, the gravest first", async () => {
  await product.say("subscribe demo branch:main", { person: "ada", conversation: otherConversation });
  await product.say("subscribe depot", { person: "grace", roles: ["maintainer"], conversation: fakeConversation });
  const { store, clock, directory: subscriptions } = product;
  await publishChange({ store, clock, subscriptions, problems: [assessed("p1", "low"), assessed("p2", "critical")] });
  const text = await shown();
  expect(text).toContain("1 subscription of yours");
  expect(text).toContain("demo in reviews");
  expect(text).toContain("demo branch:main");
  expect(text).not.toContain("depot");
  expect(text).toContain("2 findings are open there");
  expect(text.indexOf("Critical")).toBeGreaterThan(-1);
  expect(text.indexOf("Critical")).toBeLessThan(text.indexOf("Low"));
  expect(await shown("grace")).toContain("No finding is open there");
});

it("lists what anybody subscribed in the person's own conversation", async () => {
  await product.say("subscribe demo", { person: "grace", roles: ["maintainer"], conversation: direct });
  expect(await shown()).toContain("demo in your direct messages");
});

it("leaves out what may not be seen there any more", async () => {
  await product.say("subscribe demo", { person: "ada", conversation: otherConversation });
  hidden = ["demo"];
  expect(await shown()).not.toContain("demo");
});
