// What svn may print: half an answer with an error, hidden revisions, logs too large to read; by scripted processes.
import { afterAll, describe, expect, it } from "vitest";
import type { ProcessRequest, ProcessResult } from "../../../../src/process/spawn.ts";
import { parseLog, revisionOf } from "../../../../src/vcs/svn/log.ts";
import { parseSummary } from "../../../../src/vcs/svn/range-changes.ts";
import { createSvnVcs } from "../../../../src/vcs/svn/svn-vcs.ts";
import { eachElement } from "../../../../src/vcs/svn/xml.ts";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";
import { clock, reasonOf } from "./support.ts";

const cache = temporaryDirectory("aicr-cache-");
afterAll(cache.remove);

type Answer = string | { readonly stdout?: string; readonly stderr: string } | "too much";

/** An adapter whose svn answers by its subcommand and arguments. */
function scripted(answer: (command: string, args: readonly string[]) => Answer) {
  return createSvnVcs({
    repository: "repo",
    url: "svn://127.0.0.1/trunk",
    cacheDir: cache.path,
    clock,
    processes: {
      open: () => {
        throw new Error("svn is never left open");
      },
      async run(request: ProcessRequest): Promise<ProcessResult> {
        const given = answer(request.argv[1] ?? "", request.argv);
        const stderr = Buffer.from(typeof given === "string" ? "" : given.stderr);
        if (given === "too much") return { reason: "output_exceeded", stdout: Buffer.alloc(9), stderr };
        const stdout = Buffer.from(typeof given === "string" ? given : (given.stdout ?? ""));
        return { reason: "exited", code: typeof given === "string" ? 0 : 1, stdout, stderr };
      },
    },
  });
}

const info = (head: number): string =>
  `<info><entry kind="dir" revision="${head}"><relative-url>^/trunk</relative-url><repository><root>svn://127.0.0.1</root><uuid>u</uuid></repository><commit revision="${head}"/></entry></info>`;

const log = (...numbers: readonly number[]): string =>
  `<log>${numbers
    .map(
      (number) =>
        `<logentry revision="${number}"><author>a</author><date>2024-01-02T03:04:05.000000Z</date><paths><path action="M" kind="file" text-mods="true" prop-mods="false">/trunk/a.c</path></paths><msg>m</msg></logentry>`,
    )
    .join("")}</log>`;

describe("an answer with an error", () => {
  it("is never read, however whole it looks", async () => {
    const broken = { stdout: log(1, 2), stderr: "svn: E175002: Unexpected server error 500" };
    const vcs = scripted((command) => (command === "info" ? info(2) : broken));
    await expect(vcs.resolve({ spec: "r2" })).rejects.toMatchObject({ code: "unavailable" });
    const odd = scripted((command) =>
      command === "info" ? info(2) : { ...broken, stderr: "svn: E000022: Valid data" },
    );
    await expect(odd.resolve({ spec: "r2" })).rejects.toMatchObject({ name: "AppError" });
  });

  it("that is no XML, or stops in the middle, is a fault", async () => {
    for (const text of ["", "<log>", "<log><logentry></log>", "Welcome to the captive portal"]) {
      const vcs = scripted((command) => (command === "info" ? info(2) : text));
      expect(await reasonOf(vcs.resolve({ spec: "r2" }))).toBe("vcs_corrupt");
    }
  });
});

describe("a hidden revision", () => {
  it("leaves lines without an answer: the attribution is partial", async () => {
    const commit = '<commit revision="1"><author>a</author></commit>';
    const blame = `<blame><target path="x"><entry line-number="1">${commit}</entry><entry line-number="2"/></target></blame>`;
    const vcs = scripted((command) => (command === "cat" ? "1\n2\n" : command === "blame" ? blame : info(2)));
    expect(await vcs.fetchAttribution({ revision: "2", path: "a.c" })).toEqual({
      path: "a.c",
      status: "partial",
      entries: [{ line: 1, revision: "1", author: "a" }],
    });
  });

  it("is flagged, without an author made up", () => {
    const [entry] = parseLog(Buffer.from('<log><logentry revision="7"><msg></msg></logentry></log>'), {
      repository: "repo",
    });
    expect(revisionOf(7, entry)).toMatchObject({ author: "unknown", time: 0, flags: ["restricted"] });
    expect(revisionOf(8, undefined).flags).toEqual(["restricted"]);
  });
});

describe("a log that is too large", () => {
  it("never stops the feed: fewer revisions are read, and a single one is handed on", async () => {
    const vcs = scripted((command, args) => {
      if (command === "info") return info(100);
      const [from = 0, to = 0] = (args[args.indexOf("-r") + 1] ?? "").split(":").map(Number);
      if (from <= 13 && to >= 13) return "too much";
      return log(...Array.from({ length: to - from + 1 }, (_, index) => from + index));
    });
    const heads: (string | undefined)[] = [];
    let cursor = JSON.stringify({ v: 1, uuid: "u", revision: 10 });
    while (heads.length < 90) {
      const poll = await vcs.poll(cursor, 1000);
      heads.push(...poll.events.map(({ head }) => head));
      cursor = poll.next;
    }
    expect(heads).toEqual(Array.from({ length: 90 }, (_, index) => String(11 + index)));
  });
});

describe("XML", () => {
  it("keeps text and attributes exactly, across chunks and in any order", () => {
    const name = `${"é".repeat(700_000)} &amp; 007 `;
    const summary = parseSummary(
      Buffer.from(
        `<diff><paths><path item="added" kind="file" props="none">svn://h/t/a%20%2541@.c</path></paths></diff>`,
      ),
      "svn://h/t",
      { repository: "repo" },
    );
    expect(summary).toEqual([{ item: "added", path: "a %41@.c", isFolder: false, propMods: false }]);
    const seen: string[] = [];
    eachElement(
      Buffer.from(`<a><b x="1&#13;">${name}</b></a>`),
      "b",
      { repository: "repo" },
      ({ text, attributes }) => {
        seen.push(text, attributes["x"] ?? "");
      },
    );
    expect(seen).toEqual([name.replace("&amp;", "&"), "1\r"]);
  });
});
