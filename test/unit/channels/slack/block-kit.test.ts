// The rules of the strict fake, each limit of Slack's table at its edge: what it takes, and where it points when it does not.
import { describe, expect, it } from "vitest";
import { checkBlocks, checkView } from "../../../fakes/slack/block-kit.ts";
import { many, messageRows, plain, rich, x } from "../../../fakes/slack/block-limits.ts";

describe("blocks of a message", () => {
  it.each(messageRows)("%s", (_name, within, beyond, pointer) => {
    expect(checkBlocks(within, "message").mistakes).toEqual([]);
    expect(checkBlocks(beyond, "message").mistakes.map((mistake) => mistake.pointer)).toContain(pointer);
  });

  it("markdown of 12,000 in all, and a message whose text is too long", () => {
    const markdown = (length: number) => ({ type: "markdown", text: x(length) });
    expect(checkBlocks([markdown(6_000), markdown(6_000)], "message").mistakes).toEqual([]);
    expect(checkBlocks([markdown(6_000), markdown(6_001)], "message").mistakes).toHaveLength(1);
    expect(checkBlocks([rich(x(9_597))], "message").isTooLong).toBe(false);
    expect(checkBlocks([rich(x(11_341))], "message").isTooLong).toBe(true);
  });
});

describe("views", () => {
  const modal = { type: "modal", title: plain("t"), blocks: [] as object[] };
  const input = { type: "input", label: plain("l"), element: { type: "plain_text_input" } };
  it.each([
    ["title 24", { title: plain(x(24)) }, { title: plain(x(25)) }, "/view/title/text"],
    ["submit 24", { submit: plain(x(24)) }, { submit: plain(x(25)) }, "/view/submit/text"],
    ["close 24", { close: plain(x(24)) }, { close: plain(x(25)) }, "/view/close/text"],
    [
      "100 blocks",
      { blocks: many(100, () => ({ type: "divider" })) },
      { blocks: many(101, () => ({ type: "divider" })) },
      "/view/blocks",
    ],
    [
      "private_metadata 3,000",
      { private_metadata: x(3_000) },
      { private_metadata: x(3_001) },
      "/view/private_metadata",
    ],
    ["callback_id 255", { callback_id: x(255) }, { callback_id: x(256) }, "/view/callback_id"],
    ["inputs with a submit", { submit: plain("s"), blocks: [input] }, { blocks: [input] }, "/view"],
    [
      "alert 200",
      { blocks: [{ type: "alert", text: plain(x(200)) }] },
      { blocks: [{ type: "alert", text: plain(x(201)) }] },
      "/view/blocks/0/text/text",
    ],
    [
      "no container",
      {},
      { blocks: [{ type: "container", title: plain("t"), child_blocks: [{ type: "divider" }] }] },
      "/view/blocks/0",
    ],
  ] as const)("%s", (_name, within, beyond, pointer) => {
    expect(checkView({ ...modal, ...within }, "modal")).toEqual([]);
    expect(checkView({ ...modal, ...beyond }, "modal").map((mistake) => mistake.pointer)).toContain(pointer);
  });

  it("a Home has no title", () => {
    expect(checkView({ type: "home", blocks: [] }, "home")).toEqual([]);
    expect(checkView({ ...modal, type: "home" }, "home").map(({ pointer }) => pointer)).toEqual(["/view/title"]);
  });
});
