// Sealed tokens open under their own key and context only, and keys can be changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSealing } from "../../../../channels/kit/sealing.ts";

const first = { name: "KEY_ONE", key: Buffer.alloc(32, 1).toString("base64") };
const second = { name: "KEY_TWO", key: Buffer.alloc(32, 2).toString("hex") };

describe("sealing", () => {
  it("gives back what was sealed, and never shows it", () => {
    const { seal, open } = createSealing([first]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 8 }), fc.string(), (text, context) => {
        const sealed = seal(text, context);
        expect(open(sealed, context)).toBe(Buffer.from(text, "utf8").toString("utf8"));
        expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
        expect(seal(text, context)).not.toBe(sealed);
      }),
    );
  });

  it("refuses another context, so that two rows cannot be exchanged", () => {
    const { seal, open } = createSealing([first]);
    expect(() => open(seal("xoxb-1", "slack/T1"), "slack/T2")).toThrow(expect.objectContaining({ code: "corrupt" }));
  });

  it("refuses every altered character", () => {
    const { seal, open } = createSealing([first]);
    const sealed = seal("xoxb-1", "slack/T1");
    for (let at = 0; at < sealed.length; at++) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(() => open(altered, "slack/T1"), `position ${at}`).toThrow();
    }
    for (const nonsense of ["", "v1", "v1.x", "v1.x.y", `${sealed}.z`]) expect(() => open(nonsense, "c")).toThrow();
  });

  it("opens what an earlier key sealed, and says that it is old", () => {
    const old = createSealing([first]).seal("xoxb-1", "c");
    const changed = createSealing([second, first]);
    expect(changed.open(old, "c")).toBe("xoxb-1");
    expect(changed.isOld(old)).toBe(true);
    expect(changed.isOld(changed.seal("xoxb-1", "c"))).toBe(false);
    expect(() => createSealing([second]).open(old, "c")).toThrow(
      expect.objectContaining({ code: "config", remedy: expect.stringContaining("earlier key") }),
    );
  });

  it.each(["", "short", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64"), "zz".repeat(32)])(
    "refuses %j as a key, naming the variable and not the key",
    (key) => {
      const make = () => createSealing([{ name: "SLACK_TOKEN_KEY", key }]);
      expect(make).toThrow(
        expect.objectContaining({ code: "config", message: expect.stringContaining("SLACK_TOKEN_KEY") }),
      );
      if (key !== "") expect(make).not.toThrow(key);
    },
  );

  it("refuses to do without a key", () => {
    expect(() => createSealing([])).toThrow(expect.objectContaining({ code: "config" }));
  });
});
