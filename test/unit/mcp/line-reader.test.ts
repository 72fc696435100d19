// Lines come out as they went in, however the stream was cut, and an over-long line costs only itself.
import fc from "fast-check";
import { expect, it } from "vitest";
import { createLineReader } from "../../../src/mcp/line-reader.ts";

it("gives the same lines for every way to cut the bytes", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.array(fc.nat(20), { maxLength: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (lines, cuts, cap) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const seen: string[] = [];
        const reader = createLineReader(cap, {
          onLine: (text) => seen.push(text),
          onOverflow: () => seen.push("OVER"),
        });
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          reader.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        expect(seen).toEqual(lines.map((text) => (Buffer.byteLength(text) > cap ? "OVER" : text)));
      },
    ),
  );
});
