// Identity: the same problem keeps its name while the file moves around it; different problems never share one.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anchorDigest,
  anchorLines,
  containsAnchor,
  type Identity,
  identify,
  type Subject,
} from "../../../src/core/fingerprint.ts";

const source = [
  "import { a } from './a';",
  "",
  "export function first(input) {",
  "  const size = input.length;",
  "  return a(size);",
  "}",
  "",
  "export function second(input) {",
  "  const size = input.length;",
  "  return size * 2;",
  "}",
];

function subject(
  line: number,
  lines: readonly string[] | null = source,
  over: Partial<Subject["problem"]> = {},
): Subject {
  return { problem: { file: "src/x.ts", line, category: "bug", message: "input may be null", ...over }, lines };
}

function one(s: Subject, repository = "game"): Identity {
  const [identity] = identify(repository, [s]);
  if (identity === undefined) throw new Error("no identity");
  return identity;
}

function shares(a: Identity, b: Identity): boolean {
  return a.keys.some((key) => b.keys.includes(key));
}

test("the fingerprint is 32 hex digits and the first key", () => {
  const identity = one(subject(4));
  expect(identity.fingerprint).toMatch(/^[0-9a-f]{32}$/);
  expect(identity.keys[0]).toBe(identity.fingerprint);
  expect(new Set(identity.keys).size).toBe(identity.keys.length);
});

describe("survives", () => {
  const line = fc.oneof(
    fc.constantFrom("", "  ", "}", "// note", "x();"),
    fc.string({ maxLength: 10 }).filter((s) => !s.includes("\n")),
  );

  test("lines inserted anywhere above, directly above too: the fingerprint itself stays", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: source.length }),
        fc.array(line, { maxLength: 5 }),
        fc.nat(20),
        (at, added, place) => {
          fc.pre(added.every((text) => text.trim() === "" || !source.some((known) => known.trim() === text.trim())));
          fc.pre((source[at - 1] ?? "").trim() !== "");
          const where = place % at;
          const shifted = [...source.slice(0, where), ...added, ...source.slice(where)];
          expect(one(subject(at + added.length, shifted)).fingerprint).toBe(one(subject(at)).fingerprint);
        },
      ),
    );
  });

  test("lines inserted below: some key stays", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: source.length }),
        fc.array(line, { minLength: 1, maxLength: 4 }),
        (at, added) => {
          fc.pre(added.every((text) => text.trim() === "" || !source.some((known) => known.trim() === text.trim())));
          fc.pre((source[at - 1] ?? "").trim() !== "");
          const edited = [...source.slice(0, at), ...added, ...source.slice(at)];
          expect(shares(one(subject(at, edited)), one(subject(at)))).toBe(true);
        },
      ),
    );
  });

  test("any re-indentation, tabs and CRLF", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("", " ", "\t", "      "), { minLength: source.length, maxLength: source.length }),
        fc.constantFrom("", "\r", "  "),
        fc.integer({ min: 1, max: source.length }),
        (indents, tail, at) => {
          const moved = source.map((text, i) => `${indents[i]}${text.trim()}${tail}`);
          expect(one(subject(at, moved))).toEqual(one(subject(at)));
        },
      ),
    );
  });

  test("rewording", () => {
    expect(one(subject(4, source, { message: "null dereference of input" }))).toEqual(one(subject(4)));
  });

  test("a rename, by the keys of the old path", () => {
    const before = one(subject(4));
    const after = one({ ...subject(4, source, { file: "src/y.ts" }), oldFile: "src/x.ts" });
    expect(after.fingerprint).not.toBe(before.fingerprint);
    expect(after.keys).toContain(before.fingerprint);
    expect(shares(one(subject(4, source, { file: "src/y.ts" })), before)).toBe(false);
  });
});

describe("tells apart", () => {
  test("repository, file, category and line", () => {
    const base = one(subject(4));
    const others = [
      one(subject(4), "other"),
      one(subject(4, source, { file: "src/z.ts" })),
      one(subject(4, source, { category: "style" })),
      one(subject(5)),
    ];
    for (const other of others) expect(shares(base, other)).toBe(false);
  });

  test("identical lines in one file, by their neighbours or else by their ordinal", () => {
    expect(one(subject(4)).fingerprint).not.toBe(one(subject(9)).fingerprint);
    const twins = ["a();", "b();", "a();", "b();", "a();", "b();"];
    const names = [1, 3, 5].map((line) => one(subject(line, twins)).fingerprint);
    expect(new Set(names).size).toBe(3);
    // One of them alone keeps its name whether or not the others are reported.
    const together = identify(
      "game",
      [5, 1, 3].map((line) => subject(line, twins)),
    );
    expect(together.map((identity) => identity.fingerprint)).toEqual([names[2], names[0], names[1]]);
  });

  test("two messages of one category on one anchor, in whatever order they are reported", () => {
    const a = subject(4, source, { message: "overflow for 1" });
    const b = subject(4, source, { message: "overflow for 2" });
    const [first, second] = identify("game", [a, b]);
    const [secondAgain, firstAgain] = identify("game", [b, a]);
    expect(first?.fingerprint).not.toBe(second?.fingerprint);
    expect([firstAgain, secondAgain]).toEqual([first, second]);
  });

  test("the same message twice on one anchor is one problem", () => {
    const [a, b] = identify("game", [subject(4), subject(4, source, { message: " input  may be null " })]);
    expect(a?.fingerprint).toBe(b?.fingerprint);
  });
});

describe("the agent's own fingerprint", () => {
  test("is a key, scoped to repository and file", () => {
    const own = (file: string, repository = "game", line = 4): Identity =>
      one(subject(line, source, { fingerprint: "sql-1", file, category: `${line}` }), repository);
    expect(shares(own("a"), own("a", "game", 9))).toBe(true);
    expect(shares(own("a"), own("b", "game", 9))).toBe(false);
    expect(shares(own("a"), own("a", "other", 9))).toBe(false);
  });
});

describe("a problem that is not anchored", () => {
  test("is known by file, category and what it says, without numbers and punctuation", () => {
    const base = one(subject(4, null, { message: "Line 42: `input` may be null." }));
    expect(base.anchorDigest).toBe("");
    expect(one(subject(90, null, { message: "line 57 — input may be NULL" }))).toEqual(base);
    expect(shares(one(subject(4, null, { message: "another thing" })), base)).toBe(false);
    expect(shares(one(subject(4, null, { message: "Line 42: `input` may be null.", category: "x" })), base)).toBe(
      false,
    );
  });

  test("two that differ in numbers alone get two names", () => {
    const [a, b] = identify("game", [
      subject(1, null, { message: "leak at 10" }),
      subject(1, null, { message: "leak at 20" }),
    ]);
    expect(a?.fingerprint).not.toBe(b?.fingerprint);
  });

  test("a line behind the end of the file counts as none", () => {
    expect(one(subject(400)).fingerprint).toBe(one(subject(400, null)).fingerprint);
    expect(one(subject(1, ["", " "])).anchorDigest).toBe("");
  });

  test("messages in other scripts keep their letters", () => {
    const zh = one(subject(1, null, { message: "空指针" }));
    expect(zh.fingerprint).not.toBe(one(subject(1, null, { message: "内存泄漏" })).fingerprint);
    const vi = one(subject(1, null, { message: "lỗi" }));
    expect(vi.fingerprint).not.toBe(one(subject(1, null, { message: "lõi" })).fingerprint);
  });
});

describe("anchorDigest", () => {
  test("finds the text wherever it moved, and knows when it is gone", () => {
    const { anchorDigest: mark } = one(subject(5));
    expect(mark).toBe(anchorDigest("return   a(size);"));
    expect(anchorLines(["x", "\t\treturn a(size);", "", "return a(size); "], mark)).toEqual([2, 4]);
    expect(
      containsAnchor(
        source.filter((text) => !text.includes("a(size)")),
        mark,
      ),
    ).toBe(false);
    expect(containsAnchor(source, "")).toBe(false);
    expect(containsAnchor(source, "no digest")).toBe(false);
  });

  test("of a closing bracket takes along what it closes", () => {
    const { anchorDigest: mark } = one(subject(6));
    expect(anchorLines(source, mark)).toEqual([6]);
    expect(containsAnchor(["return b(size);", "}"], mark)).toBe(false);
  });

  test("of a blank line is that of the next line with text", () => {
    expect(one(subject(2)).anchorDigest).toBe(one(subject(3)).anchorDigest);
  });
});

test("fifty problems cost one hash a key, not one a line", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `  call(${i});`);
  const subjects = Array.from({ length: 50 }, (_, i) => subject(i * 90 + 1, lines));
  const names = new Set(identify("game", subjects).map((identity) => identity.fingerprint));
  expect(names.size).toBe(50);
});
