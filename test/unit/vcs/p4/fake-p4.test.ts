// The fake p4 against the recorded output of a real client, and its refusals: what a wrong adapter would do fails here.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";
import type { FakeChange, FakeDepot, FakeFile } from "../../../fakes/p4/depot.ts";
import { type FakeP4, installFakeP4 } from "../../../fakes/p4/install.ts";

const transcript = readFileSync(new URL("../../../fixtures/p4/recorded-client-output.txt", import.meta.url), "utf8");

/** What was recorded for a command: its exit code and its lines. */
function recorded(command: string): { readonly code: number; readonly lines: readonly string[] } {
  const section = transcript.split(/^\$ p4 /m).find((text) => text.startsWith(`${command}\n`));
  if (section === undefined) throw new Error(`p4 ${command} was not recorded`);
  const [, code = "", ...rest] = section.split("\n");
  return {
    code: Number(code.replace("rc=", "")),
    lines: rest.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.replace(/\$$/, "")),
  };
}

const text = (path: string, rev: string, action: string, more: Partial<FakeFile> = {}): FakeFile => ({
  path,
  rev,
  action,
  type: "text",
  ...more,
});
const submitted = (
  number: string,
  user: string,
  time: number,
  files: readonly FakeFile[],
  more: Partial<FakeChange> = {},
) => ({
  change: number,
  user,
  client: user === "ann" ? "ann-ws" : "w",
  time,
  desc: "fix: two\n",
  status: "submitted" as const,
  files,
  ...more,
});

let fake: FakeP4;
const { path: home, remove: removeHome } = temporaryDirectory("aicr-p4-home-");
beforeAll(() => {
  fake = installFakeP4({ changes: [] });
});
afterAll(() => {
  fake.remove();
  removeHome();
});

function p4(args: readonly string[], more: Record<string, string> = {}, input = "") {
  const env = {
    PATH: fake.path,
    P4PORT: "127.0.0.1:1666",
    P4USER: "bot",
    P4CLIENT: "none",
    P4CONFIG: "none",
    P4ENVIRO: join(home, "enviro"),
    P4TICKETS: join(home, "tickets"),
    P4TRUST: join(home, "trust"),
    P4CHARSET: "none",
    ...more,
  };
  const { status, stdout, stderr } = spawnSync("p4", args, { env, cwd: home, input, encoding: "utf8" });
  return { code: status, lines: stdout.split("\n").filter((line) => line !== ""), stderr };
}

const tagged = (command: string, depot: FakeDepot) => {
  fake.serve(depot);
  return p4(["-ztag", "-Mj", ...command.split(" ")]);
};

const describedDepot: FakeDepot = {
  changes: [
    submitted(
      "12",
      "ann",
      1_700_000_000,
      [
        text("//depot/m/a b.txt", "3", "edit", { fileSize: "8", digest: "D41D8CD98F00B204E9800998ECF8427E" }),
        text("//depot/m/we%40ird%23.c", "1", "move/add", { type: "text+x" }),
        text("//depot/m/old.c", "4", "move/delete"),
      ],
      { desc: "fix: two\n\n... depotFile9 //not/real\nlast line\n" },
    ),
    submitted(
      "13",
      "ann",
      1,
      Array.from({ length: 12 }, (_, index) => text(`//depot/m/f${index}.txt`, "1", "edit")),
    ),
  ],
};

describe("the fake p4 speaks like the recorded client", () => {
  it("describes with sorted keys, sizes of live files and one line a record", () => {
    const made = tagged("describe -s 12", describedDepot);
    const was = recorded("-ztag -Mj describe -s 12");
    expect(made.code).toBe(was.code);
    expect(made.lines).toHaveLength(1);
    const record = JSON.parse(made.lines[0] ?? "");
    expect(record).toMatchObject(JSON.parse(was.lines[0] ?? ""));
    expect(Object.keys(record)).toEqual(Object.keys(record).sort());
    // The scripted server of the recording gave no size and digest of the second file.
    expect(Object.keys(record).filter((key) => !Object.hasOwn(JSON.parse(was.lines[0] ?? ""), key))).toEqual([
      "digest1",
      "fileSize1",
    ]);
  });

  it("puts depotFile10 before depotFile2", () => {
    const { lines } = tagged("describe -s 13", describedDepot);
    const names = [...(lines[0] ?? "").matchAll(/"(depotFile\d+)"/g)].map(([, name]) => name);
    const [was = ""] = recorded("-ztag -Mj describe -s 13").lines;
    const before = [...was.matchAll(/"(depotFile\d+)"/g)].map(([, name]) => name);
    expect(names.slice(0, before.length)).toEqual(before);
  });

  it.each(["describe -s 999", "describe -s 0x", "frobnicate"])(
    "says to %s what was recorded, exit code included",
    (command) => {
      const { code, lines } = tagged(command, describedDepot);
      expect({ code, lines }).toEqual(recorded(`-ztag -Mj ${command}`));
    },
  );

  it.each(["gone@12", "nope@12", "prot@12", "badrev@xx"])("says of the content of %s what was recorded", (name) => {
    fake.serve({
      changes: [
        submitted("5", "ann", 1, [
          text("//depot/m/gone", "1", "add"),
          text("//depot/m/prot", "1", "add", { protected: true }),
        ]),
        submitted("6", "ann", 2, [text("//depot/m/gone", "2", "delete"), text("//depot/m/badrev", "1", "add")]),
      ],
    });
    const made = p4(["-ztag", "-Mj", "print", "-q", "-K", "-o", join(home, `out-${name}`), `//depot/m/${name}`]);
    const was = recorded(`-ztag -Mj print //depot/m/${name.replace("@xx", "@12")}`);
    expect({ code: made.code, lines: made.lines }).toEqual(was);
  });

  it("annotates line by line", () => {
    const { code, lines } = tagged("annotate -c -u //depot/m/a.txt@12", {
      changes: [
        submitted("5", "ann", 1_690_000_000, [text("//depot/m/a.txt", "2", "add", { content: "a\nb\n" })]),
        submitted("12", "bob", 1_700_000_000, [text("//depot/m/a.txt", "3", "edit", { content: "a\nB\n" })]),
      ],
    });
    expect({ code, lines }).toEqual(recorded("-ztag -Mj annotate -c -u //depot/m/a.txt@12"));
  });

  it("lists changes, the newest first, a restricted one without its description", () => {
    const { code, lines } = tagged("changes -e 11 -m 2 //depot/...", {
      changes: [
        submitted("11", "bob", 1_699_990_000, [text("//depot/x/y.c", "1", "add")], { changeType: "restricted" }),
        submitted("12", "ann", 1_700_000_000, [text("//depot/m/a", "1", "add"), text("//depot/m/b", "1", "add")]),
      ],
    });
    expect({ code, lines }).toEqual(recorded("-ztag -Mj changes -e 11 -m 2 //depot/..."));
  });

  it("logs a file with what it was moved from", () => {
    const { lines } = tagged("filelog //depot/m/a.txt", {
      changes: [
        submitted("9", "b", 1, [text("//depot/m/a.txt", "2", "move/add", { from: "//depot/m/o.txt" })], {
          client: "c",
          desc: "mv",
        }),
        submitted("12", "ann", 1_700_000_000, [text("//depot/m/a.txt", "3", "edit", { fileSize: "8", digest: "AA" })], {
          desc: "fix",
        }),
      ],
    });
    const [was = ""] = recorded("-ztag -Mj filelog //depot/m/a.txt").lines;
    expect(JSON.parse(lines[0] ?? "")).toMatchObject(JSON.parse(was));
  });

  it("counts", () => {
    fake.serve(describedDepot);
    fake.serve({ changes: [submitted("12", "ann", 1, [text("//depot/m/a", "1", "add")])] });
    expect(p4(["counter", "change"])).toMatchObject(recorded("counter change"));
  });

  it.each([
    [500, {}],
    [501, { ticketCalls: [0] }],
  ])("refuses without a ticket as recorded for %d", (number, server) => {
    fake.forget();
    writeFileSync(join(home, "tickets"), number === 500 ? "" : "127.0.0.1:1666=bot:T1\n");
    const { code, lines } = tagged(`describe -s ${number}`, { server: { password: "x", ...server }, changes: [] });
    expect({ code, lines }).toEqual(recorded(`-ztag -Mj describe -s ${number}`));
  });

  it("finds a request too large as recorded", () => {
    const { code, lines } = tagged("describe -s 12", { ...describedDepot, server: { tooLarge: true } });
    expect({ code, lines }).toEqual(recorded("-ztag -Mj describe -s 503"));
  });
});

describe("the fake p4 refuses", () => {
  it.each<[string, readonly string[], Record<string, string>]>([
    ["content through -Mj", ["-ztag", "-Mj", "print", "//depot/m/a"], {}],
    ["content with keywords expanded", ["-ztag", "-Mj", "print", "-q", "-o", "x", "//depot/m/a"], {}],
    ["describe with its own diffs", ["-ztag", "-Mj", "describe", "-du", "12"], {}],
    ["unknown flags", ["-ztag", "-Mj", "changes", "-r", "//depot/..."], {}],
    ["global options", ["-c", "ann-ws", "info"], {}],
    ["untagged reading", ["describe", "-s", "12"], {}],
    ["setting a counter", ["-ztag", "-Mj", "counter", "change", "5"], {}],
    ["a password in the environment", ["-ztag", "-Mj", "info"], { P4PASSWD: "x" }],
    ["a submitter's workspace", ["-ztag", "-Mj", "info"], { P4CLIENT: "ann-ws" }],
    ["settings of the machine", ["-ztag", "-Mj", "info"], { P4DIFF: "x" }],
    ["trusting whatever key is shown", ["trust", "-y"], {}],
    ["a password as an argument", ["login", "-p", "secret"], {}],
  ])("%s", (_, args, env) => {
    fake.serve(describedDepot);
    const { code, lines, stderr } = p4(args, env);
    expect([code, lines]).toEqual([99, []]);
    expect(stderr).toMatch(/^fake p4: Violation/);
  });

  it("names that were not encoded, for they mean something else", () => {
    fake.serve({ changes: [submitted("5", "ann", 1, [text("//depot/m/at%402.c", "1", "add")])] });
    expect(p4(["-ztag", "-Mj", "sizes", "//depot/m/at%402.c@5"]).lines).toHaveLength(1);
    expect(p4(["-ztag", "-Mj", "sizes", "//depot/m/at@2.c@5"])).toMatchObject({ code: 1 });
  });

  it("a depot with a field that it does not serve", () => {
    fake.serve({ changes: [], colour: "red" } as FakeDepot);
    expect(p4(["-ztag", "-Mj", "info"])).toMatchObject({
      code: 99,
      stderr: expect.stringContaining("unknown field colour"),
    });
  });
});
