// A card's plain text says everything that the card says.
import { expect, it } from "vitest";
import { cardText, pageText } from "../../../../channels/kit/plain-text.ts";
import { root } from "../../../fakes/sample-cards.ts";
import { plainCard } from "../../../fakes/scripted-inbox.ts";

it("reads a report from top to bottom", () => {
  expect(cardText(root)).toBe(
    [
      "2 problems in demo",
      "",
      "Change: 4f2a91c07e (https://git.example.org/demo/commit/4f2a91c07e) Retry payments that time out",
      "Branch: main",
      "Author: Linh Trần",
      "Files: 3 files",
      "Verdict: 1 high, 1 medium",
      "",
      "- High src/payments/retry.ts:42-44 (https://git.example.org/demo/src/payments/retry.ts#L42) — A payment that timed out may have gone through; retrying charges the customer twice.",
      "- Medium src/payments/limits.ts:9 (https://git.example.org/demo/src/payments/limits.ts#L9) — maxAttempts is compared before it is read, so the limit never applies.",
      "",
      "Open change: https://git.example.org/demo/commit/4f2a91c07e",
    ].join("\n"),
  );
});

it("keeps the shape of lists, quotes and tables", () => {
  const say = (text: string) => ({ kind: "text", children: [{ kind: "text", text }] }) as const;
  const card = plainCard("Shapes", {
    blocks: [
      { kind: "list", ordered: true, start: 9, items: [[say("nine"), say("more")], [say("ten")]] },
      { kind: "quote", blocks: [say("one\ntwo")] },
      { kind: "table", header: [[{ kind: "text", text: "a" }], []], rows: [[[{ kind: "code", text: "b" }], []]] },
      { kind: "divider" },
      { kind: "actions", actions: [{ label: "Dismiss", token: "v1:x", style: "danger" }] },
    ],
  });
  expect(cardText(card)).toBe("Shapes\n\n9. nine\n   more\n10. ten\n\n> one\n> two\n\na | \nb | \n\n---");
});

it("numbers the parts of a long card", () => {
  expect(pageText({ card: plainCard("Long"), part: { number: 1, of: 2 } })).toBe("Long (1/2)");
});
