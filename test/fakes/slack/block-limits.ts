// Slack's table of Block Kit limits as blocks: each row at its limit, beyond it, and where the mistake is pointed out.

export const x = (length: number): string => "x".repeat(length);
export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const plain = (text: string) => ({ type: "plain_text", text });
const markup = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
const button = (changes: object = {}, id = "a") => ({ type: "button", action_id: id, text: plain("b"), ...changes });
export const rich = (text: string) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
});
const raw = (text: string) => ({ type: "raw_text", text });
const option = (text: string, value = "v") => ({ text: plain(text), value });
const picture = { type: "image", image_url: "https://example.org/a.png", alt_text: "a" };

/** Blocks at the limit, blocks beyond it, and the pointer of the mistake. */
export const messageRows: readonly (readonly [string, readonly object[], readonly object[], string])[] = [
  ["50 blocks", many(50, () => ({ type: "divider" })), many(51, () => ({ type: "divider" })), "/blocks"],
  [
    "section text 3,000",
    [{ type: "section", text: markup(x(3_000)) }],
    [{ type: "section", text: markup(x(3_001)) }],
    "/blocks/0/text/text",
  ],
  [
    "10 fields",
    [{ type: "section", fields: many(10, () => plain("f")) }],
    [{ type: "section", fields: many(11, () => plain("f")) }],
    "/blocks/0/fields",
  ],
  [
    "field 2,000",
    [{ type: "section", fields: [plain(x(2_000))] }],
    [{ type: "section", fields: [plain(x(2_001))] }],
    "/blocks/0/fields/0/text",
  ],
  [
    "header 150",
    [{ type: "header", text: plain(x(150)) }],
    [{ type: "header", text: plain(x(151)) }],
    "/blocks/0/text/text",
  ],
  [
    "header in plain text only",
    [{ type: "header", text: plain("h") }],
    [{ type: "header", text: markup("h") }],
    "/blocks/0/text/type",
  ],
  [
    "10 context elements",
    [{ type: "context", elements: many(10, () => plain("c")) }],
    [{ type: "context", elements: many(11, () => plain("c")) }],
    "/blocks/0/elements",
  ],
  [
    "25 actions",
    [{ type: "actions", elements: many(25, (index) => button({}, `a${index}`)) }],
    [{ type: "actions", elements: many(26, (index) => button({}, `a${index}`)) }],
    "/blocks/0/elements",
  ],
  [
    "button text 75",
    [{ type: "actions", elements: [button({ text: plain(x(75)) })] }],
    [{ type: "actions", elements: [button({ text: plain(x(76)) })] }],
    "/blocks/0/elements/0/text/text",
  ],
  [
    "button value 2,000",
    [{ type: "actions", elements: [button({ value: x(2_000) })] }],
    [{ type: "actions", elements: [button({ value: x(2_001) })] }],
    "/blocks/0/elements/0/value",
  ],
  [
    "button url 3,000",
    [{ type: "actions", elements: [button({ url: `https://e.org/${x(2_986)}` })] }],
    [{ type: "actions", elements: [button({ url: `https://e.org/${x(2_987)}` })] }],
    "/blocks/0/elements/0/url",
  ],
  [
    "action_id 255",
    [{ type: "actions", elements: [button({ action_id: x(255) })] }],
    [{ type: "actions", elements: [button({ action_id: x(256) })] }],
    "/blocks/0/elements/0/action_id",
  ],
  [
    "an action_id once",
    [{ type: "actions", elements: [button(), button({}, "b")] }],
    [
      { type: "actions", elements: [button()] },
      { type: "actions", elements: [button()] },
    ],
    "/blocks/1/elements/0/action_id",
  ],
  [
    "5 overflow options",
    [{ type: "actions", elements: [{ type: "overflow", options: many(5, () => option("o")) }] }],
    [{ type: "actions", elements: [{ type: "overflow", options: many(6, () => option("o")) }] }],
    "/blocks/0/elements/0/options",
  ],
  [
    "option text 75",
    [{ type: "actions", elements: [{ type: "overflow", options: [option(x(75))] }] }],
    [{ type: "actions", elements: [{ type: "overflow", options: [option(x(76))] }] }],
    "/blocks/0/elements/0/options/0/text/text",
  ],
  [
    "option value 150",
    [{ type: "actions", elements: [{ type: "overflow", options: [option("o", x(150))] }] }],
    [{ type: "actions", elements: [{ type: "overflow", options: [option("o", x(151))] }] }],
    "/blocks/0/elements/0/options/0/value",
  ],
  [
    "table of 100 rows",
    [{ type: "table", rows: many(100, () => [raw("c")]) }],
    [{ type: "table", rows: many(101, () => [raw("c")]) }],
    "/blocks/0/rows",
  ],
  [
    "table of 20 cells",
    [{ type: "table", rows: [many(20, () => raw("c"))] }],
    [{ type: "table", rows: [many(21, () => raw("c"))] }],
    "/blocks/0/rows/0",
  ],
  [
    "one table",
    [{ type: "table", rows: [[raw("c")]] }],
    many(2, () => ({ type: "table", rows: [[raw("c")]] })),
    "/blocks/1",
  ],
  [
    "10,000 characters in cells",
    [{ type: "table", rows: [[raw(x(5_000)), raw(x(5_000))]] }],
    [{ type: "table", rows: [[raw(x(5_000)), raw(x(5_001))]] }],
    "/blocks",
  ],
  [
    "a cell that is not empty",
    [{ type: "table", rows: [[raw(" ")]] }],
    [{ type: "table", rows: [[raw("")]] }],
    "/blocks/0/rows/0/0/text",
  ],
  [
    "data_table of 101 rows",
    [{ type: "data_table", caption: "c", rows: many(101, () => [raw("c")]) }],
    [{ type: "data_table", caption: "c", rows: many(102, () => [raw("c")]) }],
    "/blocks/0/rows",
  ],
  [
    "data_table of equal rows",
    [{ type: "data_table", caption: "c", rows: [[raw("a")], [raw("b")]] }],
    [{ type: "data_table", caption: "c", rows: [[raw("a")], [raw("b"), raw("c")]] }],
    "/blocks/0/rows",
  ],
  [
    "data_table with a caption",
    [{ type: "data_table", caption: "c", rows: [[raw("a")], [raw("b")]] }],
    [{ type: "data_table", rows: [[raw("a")], [raw("b")]] }],
    "/blocks/0",
  ],
  [
    "card title 150",
    [{ type: "card", title: markup(x(150)) }],
    [{ type: "card", title: markup(x(151)) }],
    "/blocks/0/title/text",
  ],
  [
    "card body 200",
    [{ type: "card", body: markup(x(200)) }],
    [{ type: "card", body: markup(x(201)) }],
    "/blocks/0/body/text",
  ],
  [
    "3 card actions",
    [{ type: "card", actions: many(3, (index) => button({}, `a${index}`)) }],
    [{ type: "card", actions: many(4, (index) => button({}, `a${index}`)) }],
    "/blocks/0/actions",
  ],
  [
    "10 cards",
    [{ type: "carousel", elements: many(10, () => ({ type: "card", body: markup("b") })) }],
    [{ type: "carousel", elements: many(11, () => ({ type: "card", body: markup("b") })) }],
    "/blocks/0/elements",
  ],
  [
    "10 child blocks",
    [{ type: "container", title: plain("t"), child_blocks: many(10, () => ({ type: "divider" })) }],
    [{ type: "container", title: plain("t"), child_blocks: many(11, () => ({ type: "divider" })) }],
    "/blocks/0/child_blocks",
  ],
  ["alerts in modals only", [], [{ type: "alert", text: plain("a") }], "/blocks/0"],
  [
    "2 charts",
    many(2, () => ({ type: "data_visualization", chart: { type: "bar", series: [{ name: "s" }] } })),
    many(3, () => ({ type: "data_visualization", chart: { type: "bar", series: [{ name: "s" }] } })),
    "/blocks/2",
  ],
  [
    "12 series",
    [{ type: "data_visualization", chart: { type: "bar", series: many(12, (index) => ({ name: `s${index}` })) } }],
    [{ type: "data_visualization", chart: { type: "bar", series: many(13, (index) => ({ name: `s${index}` })) } }],
    "/blocks/0/chart/series",
  ],
  [
    "inputs in views only",
    [],
    [{ type: "input", label: plain("l"), element: { type: "plain_text_input" } }],
    "/blocks/0",
  ],
  ["known types", [{ type: "divider" }], [{ type: "fancy" }], "/blocks/0/type"],
  ["known fields", [{ type: "divider" }], [{ type: "divider", colour: "red" }], "/blocks/0/colour"],
  [
    "a block_id once",
    [
      { type: "divider", block_id: "a" },
      { type: "divider", block_id: "b" },
    ],
    [
      { type: "divider", block_id: "a" },
      { type: "divider", block_id: "a" },
    ],
    "/blocks/1/block_id",
  ],
  [
    "block_id 255",
    [{ type: "divider", block_id: x(255) }],
    [{ type: "divider", block_id: x(256) }],
    "/blocks/0/block_id",
  ],
  [
    "alternative text 2,000",
    [{ ...picture, alt_text: x(2_000) }],
    [{ ...picture, alt_text: x(2_001) }],
    "/blocks/0/alt_text",
  ],
  ["text that is not empty", [rich(" ")], [rich("")], "/blocks/0/elements/0/elements/0/text"],
  ["whole surrogate pairs", [rich("\ud83d\ude00")], [rich("\ud83d")], "/blocks/0/elements/0/elements/0/text"],
  [
    "escaped markup",
    [{ type: "section", text: markup("a &amp; <https://e.org|b> &lt;") }],
    [{ type: "section", text: markup("a & b") }],
    "/blocks/0/text/text",
  ],
  [
    "indents to 8",
    [
      {
        type: "rich_text",
        elements: [{ type: "rich_text_list", style: "bullet", indent: 8, elements: rich("a").elements }],
      },
    ],
    [
      {
        type: "rich_text",
        elements: [{ type: "rich_text_list", style: "bullet", indent: 9, elements: rich("a").elements }],
      },
    ],
    "/blocks/0/elements/0/indent",
  ],
];
