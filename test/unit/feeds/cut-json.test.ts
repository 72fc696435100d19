// What is cut out of a document before it is parsed: nothing but what was named, and never so that broken JSON becomes whole.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutJson } from "../../../src/feeds/cut-json.ts";
import { readJson } from "../../../src/feeds/read-document.ts";

const unread = ["commits", "head_commit"];
const cut = (text: string) => cutJson(Buffer.from(text), unread).text;

/** Names that are nearly the ones to cut, so that they meet often; with texts that hold every sign of the grammar. */
const key = fc.constantFrom("commits", "head_commit", "commit", 'x"commits', "ref", "", "\\", "ü");
const text = fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", ":", ",", "a", "ü", "🎮", " ") });
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
  ),
}));

describe("cutting a document", () => {
  it("changes nothing but the lists and objects of the outermost object that were named", () => {
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 5 }), fc.constantFrom(0, 1, "\r\n\t"), (document, space) => {
        const expected = Object.fromEntries(
          Object.entries(document).map(([name, value]) => [
            name,
            unread.includes(name) && typeof value === "object" ? null : value,
          ]),
        );
        expect(JSON.parse(cut(JSON.stringify(document, null, space)))).toEqual(expected);
      }),
    );
  });

  it("never lets a document through that broke off, wherever that was", () => {
    const whole = JSON.stringify({ ref: "a", commits: [{ id: 'x"]}' }, ["\\"]], after: { head_commit: {} } });
    for (let end = 0; end < whole.length; end++)
      expect(readJson(Buffer.from(whole.slice(0, end)), unread).ok).toBe(false);
    expect(readJson(Buffer.from(whole), unread)).toEqual({
      ok: true,
      value: { ref: "a", commits: null, after: { head_commit: {} } },
    });
  });

  it.each([
    ['{"commits":[1],"ref":"a","commits":{"a":[2]}}', '{"commits":null,"ref":"a","commits":null}'],
    ['{ "commits" : [ ] }', '{ "commits" : null }'],
    ['{"commits":"[1]"}', '{"commits":"[1]"}'],
    ['{"commits":7,"x":[1]}', '{"commits":7,"x":[1]}'],
    ['{"commits"::[1]}', '{"commits"::[1]}'],
    ['{"commits"[1]}', '{"commits"[1]}'],
    ['{"ref":"commits",[1]}', '{"ref":"commits",[1]}'],
    ['{"a":{"commits":[1]}}', '{"a":{"commits":[1]}}'],
    ['{"x\\"commits":[1]}', '{"x\\"commits":[1]}'],
  ])("%s", (given, expected) => {
    expect(cut(given)).toBe(expected);
  });

  it("counts the depth of what it cuts too", () => {
    expect(cutJson(Buffer.from('{"commits":[[["[["]]]}'), unread).depth).toBe(4);
  });
});
