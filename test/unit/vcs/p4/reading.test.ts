// The pure parts of the Perforce adapter: output, names, types, changelists, messages, the poll's cursor.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunks } from "../../../../src/vcs/p4/ancestors.ts";
import { decodeText, inParallel } from "../../../../src/vcs/p4/contents.ts";
import { createDepotRoot, decodePath, encodePath, pathOf, rawPath } from "../../../../src/vcs/p4/depot-paths.ts";
import { troubleOf } from "../../../../src/vcs/p4/faults.ts";
import { readFileType } from "../../../../src/vcs/p4/file-types.ts";
import { pollChanges } from "../../../../src/vcs/p4/poll.ts";
import { readOutput } from "../../../../src/vcs/p4/records.ts";
import { parseSpec } from "../../../../src/vcs/p4/revision-syntax.ts";

const read = (text: string) => readOutput(Buffer.from(text));

describe("readOutput", () => {
  it("tells records, messages and information apart", () => {
    expect(
      read(
        '{"change":"12","desc":"... depotFile9 //x\\n"}\n{"data":"no such file(s).\\n","generic":17,"severity":2}\n{"data":"x","level":0}\n',
      ),
    ).toMatchObject({
      records: [{ change: "12", desc: "... depotFile9 //x\n" }],
      messages: [
        { text: "no such file(s).", severity: 2, generic: 17 },
        { text: "x", severity: 1 },
      ],
    });
    // A line of annotate has `data` too, and is a record all the same.
    expect(read('{"data":"a\\n","lower":"5","user":"ann"}\n')?.records).toHaveLength(1);
    expect(read("")).toEqual({ records: [], messages: [] });
  });

  it.each([
    "{}",
    '{"change":"12"}',
    '{"change":12}\n',
    "[1]\n",
    "null\n",
    "text\n",
    '{"data":"content"}\n',
    '{"a":"b"}\n{"c":\n',
    "{}\n",
  ])("reads %j as damaged", (text) => expect(read(text)).toBeNull());

  it("never takes a torn output for a whole one, nor pollutes a prototype", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 2 }), { minLength: 1 }),
        fc.nat(),
        (records, cut) => {
          const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
          const bytes = Buffer.from(text);
          const whole = readOutput(bytes);
          expect(whole?.records.map((record) => ({ ...record }))).toEqual(records.map((record) => ({ ...record })));
          const torn = readOutput(bytes.subarray(0, cut % bytes.length));
          expect(torn === null || torn.records.length < records.length).toBe(true);
        },
      ),
    );
    expect(read('{"__proto__":"x","a":"b"}\n')?.records[0]?.["a"]).toBe("b");
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});

describe("names", () => {
  it("E12: %40 %23 %2A %25 are decoded, and encoded again", () => {
    expect(decodePath("we%40ird%23%2a%2A%25 %20.c")).toBe("we@ird#**% %20.c");
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("@", "#", "*", "%", "4", "0", "2", "A", "é", " ", "/") }),
        (path) => {
          expect(decodePath(encodePath(path))).toBe(path);
          expect(encodePath(path)).not.toMatch(/[@#*]/);
        },
      ),
    );
  });

  it("are relative to the depot path, encoded or not, and never of its neighbours", () => {
    const root = createDepotRoot("//depot/ga%40me/...", false);
    expect(root.relative("//depot/ga%40me/a%23.c")).toBe("a#.c");
    expect(root.depotFile("a#.c")).toBe("//depot/ga%40me/a%23.c");
    for (const outside of [
      "//depot/ga%40mes/a.c",
      "//depot/ga%40me",
      "//depot/ga%40me/",
      "//depot/GA%40me/a.c",
      "//other/a.c",
    ]) {
      expect(root.relative(outside)).toBeNull();
    }
    expect(createDepotRoot("//depot/game/...", true).relative("//Depot/GAME/A.c")).toBe("A.c");
  });

  it("that were damaged on the way are asked for by nobody", () => {
    expect(pathOf(rawPath("日本.txt"))).toBe("日本.txt");
    expect(pathOf(rawPath("caf\u{fffd}"))).toBeNull();
    expect(pathOf("caf\xe9")).toBeNull();
  });

  it("fill command lines without loss", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 2000 }), (args) => {
        expect([...chunks(args)].flat()).toEqual(args);
      }),
      { numRuns: 20 },
    );
    for (const some of chunks(Array.from({ length: 3000 }, () => "x".repeat(900)))) {
      expect(some.join(" ").length).toBeLessThan(100 << 10);
    }
  });
});

describe("readFileType", () => {
  it.each([
    ["text", "text", false, "100644"],
    ["text+x", "text", false, "100755"],
    ["text+kx", "text", false, "100755"],
    ["xtext", "text", false, "100755"],
    ["kxtext", "text", false, "100755"],
    ["ktext", "text", false, "100644"],
    ["ubinary", "binary", true, "100644"],
    ["uxbinary", "binary", true, "100755"],
    ["xltext", "text", false, "100755"],
    ["tempobj", "binary", true, "100644"],
    ["binary+S16", "binary", true, "100644"],
    ["symlink", "symlink", false, "120000"],
    ["apple", "apple", true, "100644"],
    ["uresource", "resource", true, "100644"],
    ["utf16+w", "utf16", false, "100644"],
    ["xunicode", "unicode", false, "100755"],
    ["xutf16", "utf16", false, "100755"],
    ["unicode", "unicode", false, "100644"],
    ["sometype", "sometype", false, "100644"],
  ])("%s is %s", (type, base, isBinary, mode) => expect(readFileType(type)).toMatchObject({ base, isBinary, mode }));
});

describe("parseSpec", () => {
  it.each([
    ["", { kind: "newest" }],
    ["12345", { kind: "submitted", number: 12345 }],
    ["@12345", { kind: "submitted", number: 12345 }],
    ["@=12345", { kind: "shelf", number: 12345 }],
    ["=12345", { kind: "shelf", number: 12345 }],
  ])("%j", (text, spec) => expect(parseSpec(text, { repository: "game" })).toEqual(spec));
});

describe("troubleOf", () => {
  it.each([
    ["999 - no such changelist.", "missing"],
    ["//a/b@12 - no file(s) at that changelist number.", "missing"],
    ["//a/b - protected namespace - access denied.", "forbidden"],
    ["Access for user 'bot' has not been enabled by 'p4 protect'.", "forbidden"],
    ["Perforce password (P4PASSWD) invalid or unset.", "auth"],
    ["Your session has expired, please login again.", "auth"],
    ["Invalid changelist/client/label/date '@x'.", "bad_request"],
    ["Request too large (over 1000); see 'p4 help maxresults'.", "too_large"],
    ["Too many rows scanned (over 5); see 'p4 help maxscanrows'.", "too_large"],
    ["Unicode clients require a unicode enabled server.", "charset"],
    ["The authenticity of '1.2.3.4:1666' can't be established,\nthis may be …", "trust"],
    ["Translation of file content failed near line 3", "translation"],
    ["Librarian checkout //a/b failed.\nopen for read: /x,d/1.2: No such file", "unreadable"],
    ["Unknown command.  Try 'p4 help' for info.", "usage"],
    ["Perforce client error:\n\tConnect to server failed; check $P4PORT.", "unreachable"],
    ["Something that nobody has seen before.", "unreachable"],
  ])("%j is %s", (text, trouble) => expect(troubleOf(text)).toBe(trouble));
});

describe("decodeText", () => {
  it("reads UTF-16 of both byte orders, and leaves everything else alone", () => {
    const little = Buffer.from("\ufeffβ\n", "utf16le");
    expect(decodeText(little).toString()).toBe("β\n");
    expect(decodeText(Buffer.from(little).swap16()).toString()).toBe("β\n");
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        if ((bytes[0] ?? 0) >= 0xfe) return;
        expect(decodeText(Buffer.from(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

describe("inParallel", () => {
  it("keeps the order, and after a failure begins nothing new and leaves nothing running", async () => {
    let running = 0;
    const begun: number[] = [];
    const work = async (item: number): Promise<number> => {
      begun.push(item);
      running++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (item === 2) throw new Error("two");
      return item * 10;
    };
    expect(await inParallel([5, 3, 4], 2, work)).toEqual([50, 30, 40]);
    begun.length = 0;
    await expect(inParallel([1, 2, 3, 4, 5, 6], 3, work)).rejects.toThrow("two");
    expect(running).toBe(0);
    expect(begun.length).toBeLessThan(6);
  });
});

describe("pollChanges", () => {
  it("property: hands out every change exactly once, whatever commits late, restarts and limits", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat(6), fc.boolean()), { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 5 }),
        async (rounds, limit) => {
          const committed = new Set([1]);
          const source = {
            last: async () => Math.max(...committed),
            list: async (first: number, last: number) =>
              [...committed].filter((number) => number >= first && number <= last).sort((a, b) => a - b),
            newest: async () => Math.max(...committed),
          };
          let { next } = await pollChanges(null, limit, "p4", source);
          const seen: number[] = [];
          let top = 1;
          const drain = async (): Promise<void> => {
            for (let turn = 0; turn < 100; turn++) {
              const poll = await pollChanges(next, limit, "p4", source);
              expect(poll.gap).toBe(false);
              expect(poll.events.length).toBeLessThanOrEqual(limit);
              seen.push(...poll.events.map(({ head }) => Number(head)));
              if (poll.next === next && poll.events.length === 0) return;
              next = poll.next;
            }
          };
          for (const [step, late, polls] of rounds) {
            const before = top;
            top += step;
            committed.add(top);
            // Numbers just below the newest, given out before it and committed after it.
            for (let back = 1; back <= late; back++)
              if (top - back > Math.max(before, top - 90)) committed.add(top - back);
            if (polls) await drain();
            const straggler = top - 7;
            if (straggler > before) committed.add(straggler);
          }
          committed.add(top + 1);
          await drain();
          expect([...seen].sort((a, b) => a - b)).toEqual(
            [...committed].filter((number) => number !== 1).sort((a, b) => a - b),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("names what came before, however long ago", async () => {
    const numbers = [3];
    const source = {
      last: async () => 900 + numbers.length,
      list: async (first: number, last: number) => numbers.filter((number) => number >= first && number <= last),
      newest: async () => numbers.at(-1) ?? null,
    };
    const { next } = await pollChanges(null, 10, "p4", source);
    numbers.push(902);
    const { events } = await pollChanges(next, 10, "p4", source);
    expect(events).toEqual([{ ref: "p4", before: "3", head: "902", forced: false }]);
  });

  it.each([
    "",
    "{}",
    "null",
    '{"v":1,"change":-1,"seen":[]}',
    '{"v":9,"change":1,"seen":[]}',
    '{"v":1,"change":1,"seen":["x"]}',
  ])("reports a gap for the lost cursor %j", async (cursor) => {
    const source = { last: async () => 5, list: async () => [5], newest: async () => 5 };
    expect(await pollChanges(cursor, 10, "p4", source)).toMatchObject({ events: [], gap: true });
  });
});
