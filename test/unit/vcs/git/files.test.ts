// Listing and diff of a change on real repositories: odd paths, odd kinds of files, and limits.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type CommitSpec, createRepository, temporaryDirectory } from "../../../fakes/git-repository.ts";
import { openVcs } from "./support.ts";

const cleanups: (() => void)[] = [];
afterAll(() => {
  for (const cleanup of cleanups.reverse()) cleanup();
});

/** A repository with these commits; the change is the last commit of main. */
async function changed(commits: readonly CommitSpec[], options: Parameters<typeof openVcs>[1] = {}) {
  const repo = createRepository();
  const ids = repo.commit(...commits);
  const fixture = openVcs(repo.path, options);
  cleanups.push(repo.remove, fixture.remove);
  const change = await fixture.vcs.resolve({ spec: "" });
  return { ...fixture, repo, ids, change };
}

function freshDirectory(): string {
  const made = temporaryDirectory();
  cleanups.push(made.remove);
  const directory = join(made.path, "source");
  mkdirSync(directory);
  return directory;
}

const NO_CAP = { maxFileBytes: 1 << 26, maxTotalBytes: 1 << 28 };

describe("listChanges and diff", () => {
  it("knows every kind of change", async () => {
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join("");
    const { vcs, change } = await changed([
      {
        files: {
          "gone.txt": "x\n",
          "old-name.txt": long,
          "mode.sh": "echo\n",
          "becomes-link": "text\n",
          "edit.txt": "1\n",
          "data.bin": Buffer.from([0, 1, 2]),
          sub: { mode: "160000", commit: "1".repeat(40) },
        },
      },
      {
        files: {
          "gone.txt": null,
          "old-name.txt": null,
          "new-name.txt": `${long}more\n`,
          "mode.sh": { mode: "100755", content: "echo\n" },
          "becomes-link": { mode: "120000", target: "/proc/self/environ" },
          "edit.txt": "1\n2\n",
          "data.bin": Buffer.from([0, 1, 2, 3]),
          sub: { mode: "160000", commit: "2".repeat(40) },
          "big.psd": `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`,
          "empty.txt": "",
        },
      },
    ]);
    const { files, truncated } = await vcs.listChanges(change);
    expect(truncated).toBe(false);
    const byPath = new Map(files.map((file) => [file.path, file]));
    expect([...byPath].map(([path, file]) => `${file.kind} ${path}`)).toEqual([
      "type becomes-link",
      "add big.psd",
      "modify data.bin",
      "modify edit.txt",
      "add empty.txt",
      "delete gone.txt",
      "mode mode.sh",
      "rename new-name.txt",
      "modify sub",
    ]);
    expect(byPath.get("becomes-link")).toMatchObject({ isSymlink: true, oldMode: "100644", newMode: "120000" });
    expect(byPath.get("big.psd")).toMatchObject({ isLfs: true, isBinary: false });
    expect(byPath.get("data.bin")).toMatchObject({ isBinary: true, size: 4 });
    expect(byPath.get("mode.sh")).toMatchObject({ oldMode: "100644", newMode: "100755" });
    expect(byPath.get("new-name.txt")).toMatchObject({ oldPath: "old-name.txt", oldRawPath: "old-name.txt" });
    expect(byPath.get("sub")).toMatchObject({ isSubmodule: true });
    expect(byPath.get("sub")).not.toHaveProperty("size");

    const { diff, truncated: cut, omitted } = await vcs.diff(change, files);
    expect({ cut, omitted }).toEqual({ cut: false, omitted: [] });
    expect(diff.files.map((file) => [file.oldPath, file.newPath, file.hunks.length])).toEqual([
      ["becomes-link", null, 1],
      [null, "becomes-link", 1],
      [null, "big.psd", 1],
      ["data.bin", "data.bin", 0],
      ["edit.txt", "edit.txt", 1],
      [null, "empty.txt", 0],
      ["gone.txt", null, 1],
      ["mode.sh", "mode.sh", 0],
      ["old-name.txt", "new-name.txt", 1],
      ["sub", "sub", 1],
    ]);
  });

  it("E10: lists deleted files, with the size of nothing", async () => {
    const { vcs, change } = await changed([{ files: { "a.ts": "1\n", "b.ts": "2\n" } }, { files: { "a.ts": null } }]);
    const { files } = await vcs.listChanges(change);
    expect(files).toMatchObject([{ kind: "delete", path: "a.ts", oldMode: "100644" }]);
    expect(files[0]).not.toHaveProperty("size");
  });

  it("E8: non-ASCII, quoted and non-UTF-8 paths survive listing, diff and export", async () => {
    const names = [
      'tab\tquote"back\\slash.txt',
      "日本語/ünï.txt",
      "a b/ b/c.txt",
      "new\nline.txt",
      "trailing ",
      "-x",
      ":(glob)*.c",
    ];
    const latin = "caf\xe9.txt";
    const content = (version: string): CommitSpec => ({
      files: Object.fromEntries(names.map((name) => [name, `${version}\n`])),
      rawFiles: { [latin]: `${version}\n` },
    });
    const { vcs, change } = await changed([content("old"), content("new")]);
    const { files } = await vcs.listChanges(change);
    expect(files.map((file) => file.path).sort()).toEqual([...names, "caf\u{fffd}.txt"].sort());
    expect(files.find((file) => file.path.startsWith("caf"))?.rawPath).toBe(latin);
    for (const wanted of [files, files.filter((file) => file.rawPath !== latin)]) {
      const { diff } = await vcs.diff(change, wanted);
      expect(diff.files.map((file) => file.newPath)).toEqual(wanted.map((file) => file.rawPath));
    }
    const directory = freshDirectory();
    const result = await vcs.materialise(change, { side: "old", directory, files, ...NO_CAP });
    const unsafe = result.skipped.map((skip) => skip.path);
    expect(unsafe).toEqual([names[0]]);
    for (const { path } of result.written) expect(readFileSync(join(directory, path), "utf8")).toBe("old\n");
    expect(result.written).toHaveLength(names.length);
  });

  it("E7: a path that begins with - never reaches git as an option", async () => {
    const { vcs, change, started } = await changed([
      { files: { "--output=x": "1\n", "-O": "1\n" } },
      { files: { "--output=x": "2\n", "-O": "2\n" } },
    ]);
    const { files } = await vcs.listChanges(change);
    expect((await vcs.diff(change, files)).diff.files).toHaveLength(2);
    const revision = change.head.canonical;
    expect((await vcs.fetchExtraContext({ revision, path: "--output=x" })).text).toBe("2\n");
    expect((await vcs.fetchAttribution({ revision, path: "-O" })).status).toBe("ok");
    for (const argv of started) {
      const separator = argv.indexOf("--");
      const before = separator < 0 ? argv : argv.slice(0, separator);
      expect(before).not.toContain("--output=x");
      expect(before).not.toContain("-O");
    }
  });

  it("diffs only the files asked for, with their renames", async () => {
    const text = "a\nb\nc\nd\ne\nf\ng\n";
    const { vcs, change } = await changed([
      { files: { "from.txt": text, "other.txt": "1\n" } },
      { files: { "from.txt": null, "to.txt": `${text}h\n`, "other.txt": "2\n" } },
    ]);
    const { files } = await vcs.listChanges(change);
    const wanted = files.filter((file) => file.path === "to.txt");
    const { diff, truncated } = await vcs.diff(change, wanted);
    expect(diff.files).toMatchObject([{ oldPath: "from.txt", newPath: "to.txt" }]);
    expect(truncated).toBe(false);
    expect((await vcs.diff(change, [])).diff.files).toEqual([]);
  });

  it("reads generated and vendored marks from the attributes at the head", async () => {
    const { vcs, change } = await changed([
      { files: { ".gitattributes": "*.gen.ts linguist-generated\n", "a.ts": "1\n" } },
      {
        files: {
          "src/x.gen.ts": "1\n",
          "src/y.ts": "1\n",
          "lib/.gitattributes": "*.js linguist-vendored=true\nown.js -linguist-vendored\n",
          "lib/z.js": "1\n",
          "lib/own.js": "1\n",
        },
      },
    ]);
    const { files } = await vcs.listChanges(change);
    expect(files.filter((file) => file.isGenerated).map((file) => file.path)).toEqual(["lib/z.js", "src/x.gen.ts"]);
  });

  it("22: cuts a huge diff at whole files and says what is left out", async () => {
    const body = (seed: number): string =>
      Array.from({ length: 2000 }, (_, line) => `${seed} and ${line} and so on\n`).join("");
    const { vcs, change } = await changed([
      { files: { "a.txt": "x\n" } },
      { files: Object.fromEntries([1, 2, 3, 4].map((seed) => [`f${seed}.txt`, body(seed)])) },
    ]);
    const { files } = await vcs.listChanges(change);
    const { diff, truncated, omitted, bytes } = await vcs.diff(change, files, { maxBytes: 120_000 });
    expect(truncated).toBe(true);
    expect(diff.files.map((file) => file.newPath)).toEqual(["f1.txt", "f2.txt"]);
    expect(diff.files[1]?.hunks[0]?.newLines).toBe(2000);
    expect(omitted).toEqual(["f3.txt", "f4.txt"]);
    expect(bytes).toBeLessThanOrEqual(120_000);
    const short = await vcs.listChanges(change, { maxBytes: 250 });
    expect(short.truncated).toBe(true);
    expect(short.files.length).toBeLessThan(4);
  });

  it("22: leaves out a 50 MB line before diffing it, yet knows that it is text", async () => {
    const { vcs, change } = await changed([
      { files: { "a.txt": "x\n" } },
      { files: { "a.txt": "y\n", "line.txt": Buffer.alloc(50 << 20, "x"), "blob.bin": Buffer.alloc(9 << 20) } },
    ]);
    const { files } = await vcs.listChanges(change);
    expect(files.map((file) => [file.path, file.isBinary])).toEqual([
      ["a.txt", false],
      ["blob.bin", true],
      ["line.txt", false],
    ]);
    const { diff, omitted, bytes } = await vcs.diff(change, files);
    expect(omitted).toEqual(["line.txt"]);
    expect(diff.files.map((file) => file.newPath)).toEqual(["a.txt", "blob.bin"]);
    expect(bytes).toBeLessThan(2000);
  });

  it("22: lists at most so many files", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d/${at}.txt`, `${at}\n`]));
    const { vcs, change } = await changed([{ files: { a: "1" } }, { files: many }], { limits: { maxFiles: 100 } });
    const { files, truncated } = await vcs.listChanges(change);
    expect([files.length, truncated]).toEqual([100, true]);
    expect(files.every((file) => !file.isBinary)).toBe(true);
  });

  it("parses the diff of any edit so that the new lines are those of the blob", async () => {
    const line = fc.constantFrom(
      "a",
      "b",
      "c",
      "--- x",
      "+++ y",
      "@@ -1 +1 @@",
      "diff --git a/x b/x",
      "",
      "\r",
      "\u2028",
    );
    const text = fc.array(line, { maxLength: 12 }).map((parts) => parts.join("\n"));
    const { vcs, repo } = await changed([{ files: { f: "" } }]);
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        repo.commit({ files: { f: before } }, { files: { f: after } });
        const change = await vcs.resolve({ spec: "" });
        const { diff } = await vcs.diff(change, (await vcs.listChanges(change)).files);
        const blob = after.split("\n");
        for (const hunk of diff.files[0]?.hunks ?? []) {
          const body = Buffer.from(diff.bytes.subarray(hunk.start, hunk.end)).toString().split("\n");
          const lines = body.filter((row) => /^[ +]/.test(row)).map((row) => row.slice(1));
          expect(lines).toEqual(blob.slice(Math.max(0, hunk.newStart - 1), hunk.newStart - 1 + hunk.newLines));
        }
      }),
      { numRuns: 10 },
    );
  });
});
