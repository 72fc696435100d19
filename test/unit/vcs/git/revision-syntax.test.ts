// What counts as a revision before git sees it, and which pasted links are the repository's own.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSpec } from "../../../../src/vcs/git/revision-syntax.ts";

const web = { host: "git.example.com", path: "team/repo" };
const parse = (spec: string) => parseSpec(spec, "repo", web);
const point = (name: string, steps = "") => ({ kind: "point", point: { name, steps } });

describe("parseSpec", () => {
  it("reads names, steps, ranges and requests", () => {
    expect(parse("  ")).toEqual({ kind: "newest" });
    expect(parse("main")).toEqual(point("main"));
    expect(parse("feature/été-2")).toEqual(point("feature/été-2"));
    expect(parse("HEAD~1")).toEqual(point("HEAD", "~1"));
    expect(parse("v1.0^2~3^")).toEqual(point("v1.0", "^2~3^"));
    expect(parse("a1b2c3d..main~2")).toEqual({
      kind: "range",
      from: { name: "a1b2c3d", steps: "" },
      to: { name: "main", steps: "~2" },
    });
    expect(parse("v1.0...v1.1")).toMatchObject({ kind: "range" });
    expect(parse("#12")).toEqual({ kind: "review", number: 12 });
    expect(parse("!7")).toEqual({ kind: "review", number: 7 });
  });

  it.each([
    "--output=/x",
    "-O/etc/passwd",
    "-",
    "main..-x",
    "HEAD^{/re}",
    "HEAD^{tree}",
    "@{-1}",
    "main@{1 year ago}",
    "@",
    ":/fix",
    "main:README.md",
    "a b",
    "a\nb",
    "a\u202eb",
    "\u001b[31m",
    "$(touch x)",
    "`id`",
    "a;b",
    "a..b..c",
    "..a",
    "a..",
    "a//b",
    "/a",
    "a/",
    "a.lock",
    "../../x",
    "^a",
    "~1",
    "x".repeat(4096),
  ])("15: refuses %j", (spec) => {
    expect(() => parse(spec)).toThrow(expect.objectContaining({ code: "bad_request", reason: "bad_revision" }));
  });

  it("never lets through a name that git or a terminal could take for something else", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.stringMatching(/^[-a~^.@{}:/\\ ]{1,12}$/)),
        (text) => {
          let spec: ReturnType<typeof parse>;
          try {
            spec = parse(text);
          } catch {
            return;
          }
          const points = spec.kind === "point" ? [spec.point] : spec.kind === "range" ? [spec.from, spec.to] : [];
          for (const { name, steps } of points) {
            expect(name).not.toMatch(/^-|\.\.|@\{|[\s:~^?*[\\\p{C}]/u);
            expect(steps).toMatch(/^[~^0-9]*$/);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("repeats a refused revision to people without its control characters, and short", () => {
    try {
      parse(`\u001b[31m\u202e${"x".repeat(500)}`);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toMatch(/[\u001b\u202e]/);
      expect(String(error).length).toBeLessThan(300);
    }
  });

  it("reads pasted pages of the repository's own host", () => {
    const sha = "0123456789abcdef0123456789abcdef01234567";
    for (const page of [
      `https://git.example.com/team/repo/commit/${sha}`,
      `https://git.example.com/team/repo/-/commit/${sha}#note`,
      `https://GIT.example.com/Team/Repo/commits/${sha}?x=1`,
    ]) {
      expect(parse(page)).toEqual(point(sha));
    }
    expect(parse("https://git.example.com/team/repo/pull/12/files")).toEqual({ kind: "review", number: 12 });
    expect(parse("https://git.example.com/team/repo/-/merge_requests/8/diffs")).toEqual({ kind: "review", number: 8 });
    expect(parse("https://git.example.com/team/repo/compare/v1...v2")).toMatchObject({ kind: "range" });
  });

  it.each([
    "https://evil.example/team/repo/commit/0123456",
    "https://git.example.com/team/other/commit/0123456",
    "https://git.example.com/team/repository/commit/0123456",
    "https://git.example.com/team/repo",
    "https://git.example.com/team/repo/commit/--output=x",
    "https://git.example.com.evil.example/team/repo/commit/0123456",
    "http://169.254.169.254/latest/meta-data",
  ])("refuses the link %s", (spec) => {
    expect(() => parse(spec)).toThrow(expect.objectContaining({ reason: "foreign_url" }));
  });
});
