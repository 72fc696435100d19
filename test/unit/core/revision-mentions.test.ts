// Revisions are found where people name them, and nowhere else.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRevisions, repositoryMeant } from "../../../src/core/revision-mentions.ts";

const specs = (text: string): readonly string[] => findRevisions(text).map(({ spec }) => spec);

describe("findRevisions", () => {
  it.each([
    ["Deployed abc1234.", ["abc1234"]],
    ["`abc1234`: fix the door", ["abc1234"]],
    ["(r123), then r100:r140", ["r123", "r100:r140"]],
    ["CL @12345 and its shelf @=12346", ["@12345", "@=12346"]],
    ["see #12, !13 and acme/game#44", ["#12", "!13", "#44"]],
    ["from abc1234..def5678 on", ["abc1234..def5678"]],
    ["0123456789012345678901234567890123456789", ["0123456789012345678901234567890123456789"]],
    ["请看 abc1234。", ["abc1234"]],
    ["https://github.com/acme/game/pull/9/files?w=1#diff", ["https://github.com/acme/game/pull/9/files"]],
    ["https://gitlab.example/a/b/game/-/merge_requests/7).", ["https://gitlab.example/a/b/game/-/merge_requests/7"]],
    ["https://git.example/game/commit/abc1234, merged", ["https://git.example/game/commit/abc1234"]],
    ["https://git.example/acme/game/compare/v1...main", ["https://git.example/acme/game/compare/v1...main"]],
  ])("finds them in %j", (text, expected) => {
    expect(specs(text)).toEqual(expected);
  });

  it.each([
    "call 1234567 about the defaced facade",
    "550e8400-e29b-41d4-a716-446655440000",
    "mail someone@1234.example or r2d2",
    "https://ci.example/builds/abc1234/log",
    "version 1.2.3, sha1:abc1234z, C#12x, #12a, 12:30",
    "abc1234.5 and v@12345",
    "http://",
    "",
  ])("finds none in %j", (text) => {
    expect(specs(text)).toEqual([]);
  });

  it("names each once, in their order, up to the limit", () => {
    expect(specs("#2 #1 #2")).toEqual(["#2", "#1"]);
    expect(findRevisions(Array.from({ length: 50 }, (_, n) => `#${n + 1}`).join(" "), 5)).toHaveLength(5);
  });

  it("finds a revision between any two words", () => {
    const kinds = fc.oneof(
      fc
        .integer({ min: 1, max: 999_999_999 })
        .chain((n) => fc.constantFrom(`#${n}`, `!${n}`, `@${n}`, `@=${n}`, `r${n}`)),
      fc.stringMatching(/^a[0-9a-f]{5,30}7$/),
      fc.integer({ min: 1, max: 999 }).map((n) => `https://git.example/acme/game/pull/${n}`),
    );
    const words = fc.array(fc.stringMatching(/^[g-qs-zG-Z]{1,8}$/), { maxLength: 6 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(words, kinds, words, (before, spec, after) => {
        expect(specs(`${before} ${spec} ${after}`)).toEqual([spec]);
      }),
    );
  });

  it("takes any text, and returns only what stands in it", () => {
    const pieces = fc.constantFrom(
      "#1",
      "r2:r3",
      "@=4",
      "abc1234",
      "..",
      "/",
      "https://a.b/",
      "/pull/1",
      "compare/",
      " ",
      "\n",
      "<@U1>",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(pieces, { maxLength: 40 }).map((p) => p.join("")),
        ),
        (text) => {
          for (const { spec } of findRevisions(text)) expect(text).toContain(spec);
        },
      ),
    );
  });

  it("reads the longest message quickly, whatever it repeats", () => {
    for (const piece of ["a1", "https://a/", "/compare/a...", "acme/", "#1#", "r1:", "abc1234..", "@="]) {
      const before = process.cpuUsage();
      findRevisions(piece.repeat(Math.ceil(60_000 / piece.length)));
      expect(process.cpuUsage(before).user, piece).toBeLessThan(2_000_000);
    }
  });
});

describe("repositoryMeant", () => {
  const aliases = ["game", "Engine", "site.web"];

  it("takes the project of an address, whatever else the message says", () => {
    const [mention = { spec: "" }] = findRevisions("engine: https://git.example/acme/GAME/pull/9");
    expect(repositoryMeant("engine: …", mention, aliases)).toBe("game");
  });

  it("takes the only alias that is a word of the message", () => {
    expect(repositoryMeant("The engine, at r12.", { spec: "r12" }, aliases)).toBe("Engine");
    expect(repositoryMeant("Look at site.web.", { spec: "r12" }, aliases)).toBe("site.web");
  });

  it("takes the only repository there is", () => {
    expect(repositoryMeant("r12", { spec: "r12" }, ["game"])).toBe("game");
    const [mention = { spec: "" }] = findRevisions("https://git.example/acme/other-name/pull/9");
    expect(repositoryMeant("x", mention, ["game"])).toBe("game");
  });

  it("does not guess", () => {
    expect(repositoryMeant("engines and games, r12", { spec: "r12" }, aliases)).toBeNull();
    expect(repositoryMeant("game or engine? r12", { spec: "r12" }, aliases)).toBeNull();
    expect(repositoryMeant("r12", { spec: "r12" }, [])).toBeNull();
    expect(repositoryMeant("x", { spec: "#1", project: "acme/other" }, ["game"])).toBeNull();
  });
});
