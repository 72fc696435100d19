// Diffs made by the real git from awkward repositories: what is read must be what git did.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DiffFile, readDiff } from "../../../src/core/diff.ts";
import { applyHunks } from "./diff-apply.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "diff-git-"));
  git("init", "-q", "-b", "main");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): Buffer {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function put(name: string, content: string | Buffer): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

function commit(message = "x"): void {
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", message);
}

function between(...options: string[]): { readonly files: readonly DiffFile[]; readonly bytes: Uint8Array } {
  return readDiff(git("diff", "--full-index", ...options, "HEAD~1", "HEAD"));
}

const forty = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("");

/** Applies every text file's hunks and compares with the blob that git holds. */
function expectContents(diff: { readonly files: readonly DiffFile[]; readonly bytes: Uint8Array }): void {
  for (const file of diff.files) {
    if (file.isBinary) continue;
    const blob = (revision: string, name: string | null): Buffer =>
      name === null
        ? Buffer.alloc(0)
        : git("cat-file", "blob", `${revision}:${Buffer.from(name, "latin1").toString("utf8")}`);
    const applied = applyHunks(diff, file.hunks, blob("HEAD~1", file.oldPath));
    expect(applied.equals(blob("HEAD", file.newPath))).toBe(true);
  }
}

test("rename with edits, pure copy and copy with edits", () => {
  put("dir with space/old name.txt", forty);
  put("source.txt", forty.replace("line 7", "seven"));
  commit();
  renameSync(path.join(folder, "dir with space/old name.txt"), path.join(folder, "näme b.txt"));
  put("näme b.txt", forty.replace("line 20\n", "twenty\n"));
  put("copy.txt", forty.replace("line 7", "seven"));
  put("copy edited.txt", forty.replace("line 7", "seven").replace("line 30\n", ""));
  commit();
  const diff = between("-M", "-C", "--find-copies-harder");
  const seen = diff.files.map(({ kind, oldPath, newPath, hunks }) => [kind, oldPath, utf8(newPath), hunks.length]);
  expect(seen).toEqual([
    ["copy", "source.txt", "copy edited.txt", 1],
    ["copy", "source.txt", "copy.txt", 0],
    ["rename", "dir with space/old name.txt", "näme b.txt", 1],
  ]);
  expectContents(diff);
});

test("binary patches, text beside them, and a binary file that is renamed with changes", () => {
  const noise = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 31) % 251));
  put("image.bin", Buffer.concat([Buffer.of(0), noise]));
  put("moved.bin", Buffer.concat([Buffer.of(0), noise, noise]));
  put("gone.bin", Buffer.of(0, 1));
  put("text.txt", "a\n");
  commit();
  put("image.bin", Buffer.concat([Buffer.of(0), noise, Buffer.of(7)]));
  renameSync(path.join(folder, "moved.bin"), path.join(folder, "moved b.bin"));
  put("moved b.bin", Buffer.concat([Buffer.of(0), noise, noise, Buffer.of(9)]));
  rmSync(path.join(folder, "gone.bin"));
  put("new.bin", Buffer.of(0, 2));
  put("text.txt", "b\n");
  commit();
  for (const option of ["--binary", "--no-binary"]) {
    const diff = between("-M", option === "--binary" ? "--binary" : "--full-index");
    expect(diff.files.map(({ kind, oldPath, newPath, isBinary }) => [kind, oldPath, newPath, isBinary])).toEqual([
      ["delete", "gone.bin", null, true],
      ["modify", "image.bin", "image.bin", true],
      ["rename", "moved.bin", "moved b.bin", true],
      ["add", null, "new.bin", true],
      ["modify", "text.txt", "text.txt", false],
    ]);
    expectContents(diff);
  }
});

test("CRLF, CR, NUL-free odd bytes, long lines, empty files and symlinks", () => {
  put("crlf.txt", "a\r\nb\r\nc\r\n");
  put("empty-gone", "");
  put("odd.txt", Buffer.from("x\x0b\x0c\x85\u2028y\n\xff\xfe\n", "latin1"));
  put("long.txt", `${"z".repeat(300_000)}\n`);
  commit();
  put("crlf.txt", "a\r\nB\r\nc\n");
  rmSync(path.join(folder, "empty-gone"));
  put("empty-new", "");
  put("odd.txt", Buffer.from("x\x0b\x0c\x85\u2029y\rz\n\xff\xfe\n\\ No newline at end of file\n", "latin1"));
  put("long.txt", `${"z".repeat(299_999)}y\n`);
  symlinkSync("crlf.txt", path.join(folder, "link"));
  commit();
  const diff = between("--no-renames");
  expect(diff.files.map(({ kind, newPath, newMode }) => [kind, newPath, newMode])).toEqual([
    ["modify", "crlf.txt", "100644"],
    ["delete", null, undefined],
    ["add", "empty-new", "100644"],
    ["add", "link", "120000"],
    ["modify", "long.txt", "100644"],
    ["modify", "odd.txt", "100644"],
  ]);
  expectContents(diff);
});

describe.each([
  ["plain", []],
  ["no prefix", ["--no-prefix"]],
  ["mnemonic", ["--src-prefix=i/", "--dst-prefix=w/"]],
  ["unequal prefixes", ["--src-prefix=before/", "--dst-prefix=now/"]],
  ["unquoted non-ASCII", ["-z"]],
])("names written with %s", (_, options) => {
  test("survive spaces, quotes, tabs, newlines, backslashes and a/ b/ inside", () => {
    const names = [
      'q"uote',
      "tab\there",
      "new\nline",
      "back\\slash",
      " lead",
      "end ",
      "x b/x",
      "a/a b/b/a",
      "ünï cödé",
      "日本",
    ];
    for (const name of names) put(`d/${name}`, forty);
    for (const name of names) put(`e/${name}`, "");
    commit();
    for (const name of names) put(`d/${name}`, `${forty}more\n`);
    for (const name of names) git("update-index", "--chmod=+x", `e/${name}`);
    git("add", "d");
    git("commit", "-q", "-m", "y");
    const diff = between(...options);
    const modified = diff.files.filter((file) => file.hunks.length > 0).map((file) => utf8(file.newPath));
    const modes = diff.files.filter((file) => file.oldMode !== file.newMode).map((file) => utf8(file.newPath));
    expect(modified.sort()).toEqual(names.map((name) => `d/${name}`).sort());
    expect(modes.sort()).toEqual(names.map((name) => `e/${name}`).sort());
    expect(diff.files.every((file) => file.oldPath === file.newPath)).toBe(true);
    expectContents(diff);
  });
});

test("quotes on one side only, both ways", () => {
  put("plain name", forty);
  put('quo"ted', forty.replace("line 3", "three"));
  commit();
  git("mv", "plain name", "tab\tnow");
  git("mv", 'quo"ted', "unquoted now");
  commit();
  expect(between("-M").files.map(({ oldPath, newPath }) => [oldPath, newPath])).toEqual([
    ["plain name", "tab\tnow"],
    ['quo"ted', "unquoted now"],
  ]);
});

test("format-patch series and git log -p: prose between, trailers behind", () => {
  put("a", "1\n");
  commit();
  put("a", "2\n");
  commit("second\n\n--- a/fake\n+++ b/fake\nIndex: fake\n@@ not a hunk\n");
  put("a", "2\n-- \n");
  put("b", "");
  commit("third");
  const series = readDiff(git("format-patch", "--stdout", "HEAD~2"));
  expect(series.files.map((file) => file.newPath)).toEqual(["a", "a", "b"]);
  const log = readDiff(git("log", "-p", "--reverse"));
  expect(log.files.map((file) => file.newPath)).toEqual(["a", "a", "a", "b"]);
  const commitOnly = readDiff(git("show", "--format=fuller", "-s"));
  expect(commitOnly.files).toEqual([]);
});

test("no-index of two paths, text and binary, and an empty context line without its space", () => {
  put("one/f name.txt", "a\n\nb\n");
  put("two/g.txt", "a\n\nc\n");
  put("one/x.bin", Buffer.of(0, 1));
  put("two/y and z.bin", Buffer.of(0, 2));
  const text = noIndex("-c", "diff.suppressBlankEmpty=true", "diff", "--no-index", "one/f name.txt", "two/g.txt");
  const diff = readDiff(text);
  expect(diff.files.map(({ oldPath, newPath }) => [oldPath, newPath])).toEqual([["one/f name.txt", "two/g.txt"]]);
  expect(applyHunks(diff, diff.files[0]?.hunks ?? [], Buffer.from("a\n\nb\n")).toString()).toBe("a\n\nc\n");
  const binary = readDiff(noIndex("diff", "--no-index", "one/x.bin", "two/y and z.bin"));
  expect(binary.files.map(({ oldPath, newPath, isBinary }) => [oldPath, newPath, isBinary])).toEqual([
    ["one/x.bin", "two/y and z.bin", true],
  ]);
});

/** `git diff --no-index` exits 1 when the files differ. */
function noIndex(...args: string[]): Buffer {
  try {
    return git(...args);
  } catch (thrown) {
    const { status, stdout } = thrown as { readonly status: number; readonly stdout: Buffer };
    if (status !== 1) throw thrown;
    return stdout;
  }
}

test("a merge's combined diff is refused, not misread", () => {
  put("a", "1\n");
  commit();
  git("checkout", "-q", "-b", "side");
  put("a", "2\n");
  commit();
  git("checkout", "-q", "main");
  put("a", "3\n");
  commit();
  expect(() => git("merge", "-q", "side")).toThrow();
  put("a", "4\n");
  commit();
  expect(() => readDiff(git("show", "--cc", "HEAD"))).toThrow(expect.objectContaining({ code: "unsupported" }));
});

function utf8(name: string | null): string {
  return Buffer.from(name ?? "", "latin1").toString("utf8");
}
