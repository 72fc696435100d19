// What people type becomes the command that the core reads, and only well-formed ids and bodies come in.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  commandText,
  completions,
  firstMistake,
  isIdempotencyKey,
  matchRoute,
  postedAction,
  postedMessage,
  preferredLocale,
} from "../../../../channels/web/inbound.ts";

describe("the command within a text", () => {
  it.each([
    ["/review demo HEAD", "demo HEAD"],
    ["review demo HEAD", "demo HEAD"],
    ["demo HEAD", "demo HEAD"],
    ["/demo HEAD", "demo HEAD"],
    ["  /Review   demo  HEAD ", "demo  HEAD"],
    ["／review demo", "demo"],
    ["/ review demo", "demo"],
    ["/review\u3000demo", "demo"],
    ["/review", ""],
    ["/reviewer demo", "reviewer demo"],
    ["help", "help"],
    ["/review help", "help"],
    ["/review demo\nHEAD", "demo HEAD"],
    ["/review demo \u0000\u001b[31mHEAD", "demo  [31mHEAD"],
    ['/review digest "0 9 * * 1-5"', 'digest "0 9 * * 1-5"'],
  ])("%j is %j", (typed, text) => {
    expect(commandText(typed, "review")).toBe(text);
  });

  it("has the configured name", () => {
    expect(commandText("/aicr demo", "aicr")).toBe("demo");
    expect(commandText("/review demo", "aicr")).toBe("review demo");
  });

  it("has no control character and no space around, whatever was typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (typed) => {
        const text = commandText(typed, "review");
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(text).toBe(text.trim());
      }),
    );
  });
});

describe("completions", () => {
  const suggestions = ["demo", "docs", "help"];

  it.each([
    ["d", ["demo", "docs"]],
    ["/review d", ["/review demo", "/review docs"]],
    ["/D", ["/demo", "/docs"]],
    ["／review  he", ["／review  help"]],
    ["/review", ["/review demo", "/review docs", "/review help"]],
    ["/review ", ["/review demo", "/review docs", "/review help"]],
    ["/", ["/demo", "/docs", "/help"]],
    ["demo", []],
    ["demo H", []],
    ["x", []],
  ])("of %j are %j", (typed, lines) => {
    expect(completions(typed, "review", suggestions)).toEqual(lines);
  });
});

describe("the path", () => {
  it("names a resource", () => {
    expect(matchRoute("/api/conversations/main/messages")).toEqual({ kind: "messages", conversation: "main" });
    expect(matchRoute("/api/conversations/a-B_9/events")).toEqual({ kind: "events", conversation: "a-B_9" });
    expect(matchRoute("/api/reviews/rv_01HZX")).toEqual({ kind: "review", id: "rv_01HZX" });
  });

  it.each([
    "/api/conversations//messages",
    "/api/conversations/../messages",
    "/api/conversations/%2e%2e/messages",
    "/api/conversations/-x/messages",
    `/api/conversations/${"a".repeat(65)}/messages`,
    "/api/conversations/main/other",
    "/api/conversations/main/messages/",
    "/api/reviews/1",
    "/api/reviews/rv_",
    "/api/reviews/rv_1'--",
    "/api/reviews/rv_1/x",
  ])("%s names nothing", (path) => {
    expect(matchRoute(path)).toBeNull();
  });
});

describe("a posted body", () => {
  const schema = postedMessage(4_000);

  function mistake(value: unknown): string {
    const parsed = schema.safeParse(value);
    return parsed.success ? "" : firstMistake(parsed.error);
  }

  it("is a text, perhaps in a thread", () => {
    expect(schema.parse({ text: "help", thread: "ms_1" })).toEqual({ text: "help", thread: "ms_1" });
  });

  it.each([
    [{}, 'The field "text" is missing or no string.'],
    [{ text: 7 }, 'The field "text" is missing or no string.'],
    [{ text: " \n " }, 'The field "text" is empty.'],
    [{ text: "x".repeat(4_001) }, 'The field "text" has more than 4000 characters.'],
    [{ text: "\ud800" }, 'The field "text" is not well-formed Unicode.'],
    [{ text: "help", thread: "main" }, 'The field "thread" is no message id.'],
    [{ text: "help", admin: true }, 'The field "admin" is unknown.'],
    [JSON.parse('{"text":"help","__proto__":{"x":1}}'), 'The field "__proto__" is unknown.'],
    ["help", "The body is not a JSON object."],
    [[["help"]], "The body is not a JSON object."],
    [null, "The body is not a JSON object."],
  ])("%j is refused: %s", (value, sentence) => {
    expect(mistake(value)).toBe(sentence);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("carries an opaque token of a button", () => {
    expect(postedAction.safeParse({ message: "ms_1", token: "v1:abc" }).success).toBe(true);
    expect(postedAction.safeParse({ message: "ms_1", token: "dismiss" }).success).toBe(false);
    expect(postedAction.safeParse({ message: "ms_1", token: `v1:${"a".repeat(61)}` }).success).toBe(false);
  });
});

describe("the language asked for", () => {
  it.each([
    ["vi", "vi"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"],
    ["en;q=0.5, vi;q=0.9", "vi"],
    ["en;q=0, vi", "vi"],
    ["*", undefined],
    ["", undefined],
    ["<script>", undefined],
    [null, undefined],
  ])("%j is %j", (header, locale) => {
    expect(preferredLocale(header)).toBe(locale);
  });
});

it("takes printable keys of at most 128 characters", () => {
  expect(isIdempotencyKey("a-1_/:")).toBe(true);
  for (const key of ["", "a b", "é", "a".repeat(129)]) expect(isIdempotencyKey(key)).toBe(false);
});
