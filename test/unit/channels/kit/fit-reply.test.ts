// A long answer to a command becomes pages that the platform takes, and calls people once.
import { expect, it } from "vitest";
import { fitReply } from "../../../../channels/kit/fit-reply.ts";
import { readableText } from "../../../../src/cards/readable-text.ts";
import type { Page } from "../../../../src/core/card.ts";

const person = { channel: "slack", workspace: "T1", person: "U1" };
const long: Page = {
  card: {
    title: "Findings",
    tone: "neutral",
    fallback: "Findings",
    blocks: Array.from({ length: 60 }, (_, n) => ({
      kind: "text",
      children: [{ kind: "text", text: `finding ${n}.` }],
    })),
  },
  mentions: [person],
};

it("divides what is over the limits, and loses nothing", () => {
  const pages = fitReply(long, { blocks: 25 });
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.map(({ mentions }) => mentions)).toEqual([[person], ...pages.slice(1).map(() => undefined)]);
  const text = pages.map(({ card }) => readableText(card)).join("\n");
  for (let n = 0; n < 60; n++) expect(text).toContain(`finding ${n}.`);
});

it("leaves a page that is fitted already", () => {
  const page: Page = { ...long, part: { number: 1, of: 2 } };
  expect(fitReply(page, { blocks: 25 })).toEqual([page]);
});
