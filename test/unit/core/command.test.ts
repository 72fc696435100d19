// The command grammar: what people type, what it means, and what is nearest to a mistake.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandWords, nearestWord, parseCommand, splitWords } from "../../../src/core/command.ts";

const repositories = [".", "demo", "game-client"];
const parse = (text: string) => parseCommand(text, repositories);

describe("parseCommand", () => {
  it("reads a review with and without a revision", () => {
    expect(parse("demo HEAD")).toEqual({
      ok: true,
      command: { verb: "review", repository: "demo", rev: "HEAD", paths: [] },
    });
    expect(parse(". a..b")).toEqual({ ok: true, command: { verb: "review", repository: ".", rev: "a..b", paths: [] } });
    expect(parse("demo")).toEqual({ ok: true, command: { verb: "review", repository: "demo", rev: "", paths: [] } });
  });

  it("reads options anywhere after the repository", () => {
    expect(parse('demo agent:checks HEAD path:"src/a b/**" path:docs/*')).toEqual({
      ok: true,
      command: { verb: "review", repository: "demo", rev: "HEAD", agent: "checks", paths: ["src/a b/**", "docs/*"] },
    });
  });

  it("understands full-width punctuation, ideographic spaces and smart quotes", () => {
    expect(parse("demo　main agent：checks path：“src/**”")).toEqual({
      ok: true,
      command: { verb: "review", repository: "demo", rev: "main", agent: "checks", paths: ["src/**"] },
    });
    expect(parse("demo ＃12")).toMatchObject({ command: { rev: "#12" } });
  });

  it.each(["", "   ", "help", "HELP"])("answers %j with help", (text) => {
    expect(parse(text)).toEqual({ ok: true, command: { verb: "help" } });
  });

  it("reads status with and without an id", () => {
    expect(parse("status")).toEqual({ ok: true, command: { verb: "status" } });
    expect(parse("status rv_1")).toEqual({ ok: true, command: { verb: "status", review: "rv_1" } });
  });

  it.each([
    ["dmeo HEAD", "unknown_word", "demo HEAD"],
    ["dmeo HEAD too many", "unknown_word", "demo HEAD"],
    ['dmeo HEAD path:"a b"', "unknown_word", 'demo HEAD path:"a b"'],
    ["hepl", "unknown_word", "help"],
    ["statsu", "unknown_word", "status"],
    ["completely different", "unknown_word", "help"],
    ["demo HEAD more", "too_many_words", "demo HEAD"],
    ["demo HEAD agnet:checks", "unknown_option", "demo HEAD"],
    ["demo HEAD agent:", "missing_value", "demo HEAD agent:…"],
    ["repos now", "too_many_words", "repos"],
    ['demo "HEAD', "unclosed_quote", "help"],
  ])("answers %j with the nearest right command", (text, reason, nearest) => {
    expect(parse(text)).toMatchObject({ ok: false, reason, nearest });
  });

  it("never throws, and its nearest command is always right itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const parsed = parse(text);
        if (parsed.ok || parsed.nearest.includes("…")) return true;
        return parse(parsed.nearest).ok;
      }),
    );
  });
});

describe("splitWords", () => {
  it("keeps every character that is no space and no quote, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9:/.*-]{1,8}$/)), (words) => {
        expect(splitWords(words.join(" \t"))).toEqual(words);
      }),
    );
  });

  it("leaves an apostrophe inside a word alone", () => {
    expect(splitWords("it's fine")).toEqual(["it's", "fine"]);
  });
});

describe("nearestWord", () => {
  it("finds a word with one slip, and nothing for a stranger", () => {
    expect(nearestWord("subscrbe", commandWords)).toBe("subscribe");
    expect(nearestWord("zzzzzz", commandWords)).toBeNull();
  });
});
