// The command grammar: what people type, what it means, and what is nearest to a mistake.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Command, commandWords, nearestWord, parseCommand, splitWords } from "../../../src/core/command.ts";

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
    ["demo HEAD agnet:checks", "unknown_option", "demo HEAD agent:checks"],
    ["demo HEAD mode:audit", "unknown_option", "demo HEAD"],
    ["demo HEAD colour:red", "unknown_option", "demo HEAD"],
    ["demo HEAD lang:french", "bad_value", "demo HEAD lang:en"],
    ["why", "missing_word", "why . HEAD"],
    ["why demo", "missing_word", "why demo HEAD"],
    ["why dmeo main", "unknown_word", "why demo main"],
    ["why nowhere-near main", "unknown_word", "repos"],
    ["cancel", "missing_word", "cancel …"],
    ["mute", "missing_word", "mute 2h"],
    ["mute demo", "missing_word", "mute 2h demo"],
    ["mute demo 3h", "missing_word", "mute 2h demo"],
    ["mute 3x demo", "bad_value", "mute 2h demo"],
    ["mute 99999w", "bad_value", "mute 2h"],
    ["findings demo opne", "bad_value", "findings demo open"],
    ["dismiss fd_1", "missing_word", "dismiss fd_1 …"],
    ["subscribe demo severity:hihg", "bad_value", "subscribe demo severity:high"],
    ["subscribe demo severty:high", "unknown_option", "subscribe demo severity:high"],
    ["subscribe demo tz:Mars/Base", "bad_value", "subscribe demo tz:Asia/Shanghai"],
    ["subscribe demo quiet:25:00-08:00", "bad_value", "subscribe demo quiet:22:00-08:00"],
    ['subscribe demo digest:"0 9 * *"', "bad_value", 'subscribe demo digest:"0 9 * * 1-5"'],
    ["subscribe demo -severity:low", "unknown_option", "subscribe demo severity:low"],
    ["subscribe demo mention:all", "bad_value", "subscribe demo mention:author"],
    ["digets demo", "unknown_word", "digest demo"],
    ["explian demo HEAD", "unknown_word", "explain demo HEAD"],
    ["demo HEAD agent:", "missing_value", "demo HEAD agent:…"],
    ["repos now", "too_many_words", "repos"],
    ['demo "HEAD', "unclosed_quote", "help"],
  ])("answers %j with the nearest right command", (text, reason, nearest) => {
    expect(parse(text)).toMatchObject({ ok: false, reason, nearest });
  });

  it("reads a subscription with everything that it may say", () => {
    const text =
      "subscribe demo branch:main -branch:dependabot/** path:src/** －path：**/*.gen.cpp author:alice -author:*[bot] " +
      'mode:audit severity:HIGH no_problems:publish mention:author digest:"0 9 * * 1-5" tz:Asia/Ho_Chi_Minh ' +
      'quiet:"22:00-08:00" lang:zh';
    expect(parse(text)).toEqual({
      ok: true,
      language: "zh-CN",
      command: {
        verb: "subscribe",
        repository: "demo",
        filters: {
          branches: ["main"],
          notBranches: ["dependabot/**"],
          paths: ["src/**"],
          notPaths: ["**/*.gen.cpp"],
          authors: ["alice"],
          notAuthors: ["*[bot]"],
        },
        terms: {
          mode: "audit",
          severity: "high",
          noProblems: "publish",
          mention: "author",
          digest: "0 9 * * 1-5",
          timeZone: "Asia/Ho_Chi_Minh",
          quiet: { from: 1320, to: 480 },
        },
      },
    });
  });

  it.each<[string, Partial<Command>]>([
    ["repos", { verb: "repos" }],
    ["Subscriptions", { verb: "subscriptions" }],
    ["cancel rv_1", { verb: "cancel", review: "rv_1" }],
    ["rerun rv_1", { verb: "rerun", review: "rv_1" }],
    ["why DEMO r100:r123", { verb: "why", repository: "demo", rev: "r100:r123" }],
    [
      "explain demo https://git.example.org/x/commit/1a2b",
      { verb: "explain", rev: "https://git.example.org/x/commit/1a2b" },
    ],
    ["unsubscribe demo", { verb: "unsubscribe", repository: "demo" }],
    ["mute 1d12h", { verb: "mute", durationMs: 36 * 3_600_000 }],
    ["mute 30m demo", { verb: "mute", durationMs: 1_800_000, repository: "demo" }],
    ["unmute", { verb: "unmute" }],
    ["findings demo", { verb: "findings", repository: "demo", state: "open" }],
    ["findings demo Dismissed", { verb: "findings", state: "dismissed" }],
    ["reopen fd_1", { verb: "reopen", finding: "fd_1" }],
    ["link alice@example.org", { verb: "link", user: "alice@example.org" }],
    ["digest demo since:7d", { verb: "digest", repository: "demo", sinceMs: 7 * 86_400_000 }],
    ["digest", { verb: "digest" }],
    ["dashboard", { verb: "dashboard" }],
    ["review demo HEAD", { verb: "review", repository: "demo", rev: "HEAD" }],
  ])("reads %j", (text, command) => {
    expect(parse(text)).toMatchObject({ ok: true, command });
  });

  it.each([
    ['dismiss fd_1 it\'s only "half" true', 'it\'s only "half" true'],
    ["dismiss fd_1 don't care", "don't care"],
    ['dismiss fd_1 "false positive"', "false positive"],
    ["dismiss fd_1 误报，因为这里：不会为空", "误报，因为这里：不会为空"],
    ["DISMISS fd_1 path:x is mine  really", "path:x is mine  really"],
  ])("keeps the reason of %j as it was typed", (text, reason) => {
    expect(parse(text)).toEqual({ ok: true, command: { verb: "dismiss", finding: "fd_1", reason } });
  });

  it("knows its languages by several names, for any verb", () => {
    expect(parse("help lang:VI")).toEqual({ ok: true, command: { verb: "help" }, language: "vi" });
    expect(parse("demo HEAD lang:zh_CN")).toMatchObject({ language: "zh-CN" });
  });

  it("finds the nearest right command for whatever is made of its own words", () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...commandWords,
        ...repositories,
        "HEAD",
        "2h",
        "rv_1",
        "fd_1",
        "open",
        "dmeo",
        "subscrbe",
        '"',
        "…",
      ),
      fc
        .tuple(
          fc.constantFrom("", "-"),
          fc.constantFrom("path", "mode", "lang", "tz", "quiet", "digest", "agnet"),
          fc.string(),
        )
        .map(([sign, name, value]) => `${sign}${name}:${value}`),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const parsed = parse(words.join(" "));
        if (parsed.ok) return;
        expect(parse(parsed.nearest), parsed.nearest).toMatchObject({ ok: true });
        expect(["dashboard"].some((hidden) => parsed.nearest === hidden && !words.includes(hidden))).toBe(false);
      }),
      { numRuns: 500 },
    );
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
