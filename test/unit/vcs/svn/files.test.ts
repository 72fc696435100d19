// Listing, diff and run directory of revisions of real repositories: odd names, copies, moves, folders, properties.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describeWithPeer } from "../../../peers.ts";
import { changedLines, cleanUp, freshDirectory, listed, openSvn, trunk } from "./support.ts";

afterAll(cleanUp);

function countOf(started: readonly { readonly argv: readonly string[] }[], command: string): number {
  return started.filter(({ argv }) => argv[0] === "svn" && argv[1] === command).length;
}

describeWithPeer("svn", "files of a revision", () => {
  it("E11: at signs, spaces, percent signs and other scripts in names survive, also once they are deleted", async () => {
    const names = ["at@x.c", "at@2", "a b.c", "100%41.c", "%20", "dép/é.c", "日本.c", "#x?.c", "a+b;c.c", "-r"];
    const { vcs } = trunk([
      [["mkdir", "trunk/dép"], ...names.map((name) => ["put", `trunk/${name}`, "one\n"] as const)],
      names.map((name) => ["put", `trunk/${name}`, "two\n"] as const),
      names.map((name) => ["rm", `trunk/${name}`] as const),
    ]);
    const sorted = [...names].sort();
    expect(await listed(vcs, "r2")).toEqual(sorted.map((name) => `add ${name}`));
    expect(await listed(vcs, "r4")).toEqual(sorted.map((name) => `delete ${name}`));
    const lines = await changedLines(vcs, "r3");
    const raw = sorted.map((name) => [Buffer.from(name).toString("latin1"), "-one +two"]);
    expect(lines).toEqual(Object.fromEntries(raw));
    const change = await vcs.resolve({ spec: "3" });
    const directory = freshDirectory();
    const { files } = await vcs.listChanges(change);
    const made = await vcs.materialise(change, {
      side: "new",
      directory,
      files,
      maxFileBytes: 100,
      maxTotalBytes: 1000,
    });
    expect(made.written.map(({ path }) => path)).toEqual(sorted);
    expect(readFileSync(join(directory, "at@x.c"), "utf8")).toBe("two\n");
    expect((await vcs.fetchExtraContext({ revision: "3", path: "at@2" })).text).toBe("two\n");
    expect((await vcs.fetchAttribution({ revision: "3", path: "100%41.c" })).entries).toMatchObject([
      { revision: "3" },
    ]);
  });

  it("E11: so do they in the folder's own URL, with properties, and over a range", async () => {
    const folder = "my trunk%41@é";
    const name = "b@ %41é.sh";
    const { repo } = trunk([
      [
        ["mkdir", folder],
        ["put", `${folder}/${name}`, "1\n"],
        ["put", `${folder}/go ne`, "1\n"],
        ["propset", "svn:executable", "*", `${folder}/${name}`],
      ],
      [["put", `${folder}/${name}`, "2\n"]],
      [
        ["propdel", "svn:executable", `${folder}/${name}`],
        ["rm", `${folder}/go ne`],
      ],
    ]);
    const { vcs } = openSvn(`${repo.url}/${encodeURIComponent(folder)}`);
    expect(await listed(vcs, "r3")).toEqual([`modify ${name}`]);
    for (const spec of ["r3", "r2:r4"]) {
      const { files } = await vcs.listChanges(await vcs.resolve({ spec }));
      expect(files.find(({ path }) => path === name)).toMatchObject({ oldMode: "100755" });
    }
    expect(await listed(vcs, "r2:r4")).toEqual([`modify ${name}`, "delete go ne"]);
    expect(await listed(vcs, "r4")).toEqual([`mode ${name}`, "delete go ne"]);
  });

  it("E11: a peg revision names the file of that time, not what later took its name", async () => {
    const { vcs } = trunk([
      [["put", "trunk/a.c", "first\n"]],
      [["mv", "trunk/a.c", "trunk/b.c"]],
      [["put", "trunk/a.c", "another\n"]],
    ]);
    expect((await vcs.fetchExtraContext({ revision: "2", path: "a.c" })).text).toBe("first\n");
    expect((await vcs.fetchExtraContext({ revision: "4", path: "a.c" })).text).toBe("another\n");
    await expect(vcs.fetchExtraContext({ revision: "3", path: "a.c" })).rejects.toMatchObject({
      reason: "path_not_found",
    });
    await expect(vcs.fetchExtraContext({ revision: "2", path: "b.c" })).rejects.toMatchObject({
      reason: "path_not_found",
    });
  });

  it("E11: one bad target among good ones costs only itself; a directory is refused", async () => {
    const { vcs } = trunk([
      [
        ["mkdir", "trunk/d"],
        ["put", "trunk/d/a.c", "1\n"],
        ["put", "trunk/b.c", "2\n"],
      ],
    ]);
    const change = await vcs.resolve({ spec: "r2" });
    const { files } = await vcs.listChanges(change);
    const absent = { ...(files[0] as (typeof files)[number]), path: "no.c", rawPath: "no.c" };
    const folder = { ...absent, path: "d", rawPath: "d" };
    const made = await vcs.materialise(change, {
      side: "new",
      directory: freshDirectory(),
      files: [absent, folder, ...files],
      maxFileBytes: 100,
      maxTotalBytes: 100,
    });
    expect(made.written.map(({ path }) => path)).toEqual(["b.c", "d/a.c"]);
    expect(made.skipped).toEqual([
      { path: "no.c", reason: "missing" },
      { path: "d", reason: "missing" },
    ]);
    await expect(vcs.fetchExtraContext({ revision: "2", path: "d" })).rejects.toMatchObject({ reason: "bad_path" });
  });

  it("properties alone are a change of mode without content; those of folders are none", async () => {
    const { vcs } = trunk([
      [
        ["put", "trunk/a.sh", "x\n"],
        ["put", "trunk/eol.c", "1\n2\n"],
        ["mkdir", "trunk/d"],
      ],
      [
        ["propset", "svn:executable", "*", "trunk/a.sh"],
        ["propset", "svn:eol-style", "native", "trunk/eol.c"],
        ["propset", "svn:externals", "file:///etc ext", "trunk/d"],
        ["propset", "svn:mergeinfo", "/branches/b:1-2", "trunk"],
      ],
    ]);
    const change = await vcs.resolve({ spec: "" });
    const { files } = await vcs.listChanges(change);
    expect(files).toMatchObject([
      { kind: "mode", path: "a.sh", oldMode: "100644", newMode: "100755", isBinary: false },
      { kind: "mode", path: "eol.c", oldMode: "100644", newMode: "100644" },
    ]);
    const { diff, truncated } = await vcs.diff(change, files);
    expect(diff.files.map(({ kind, propertiesOnly, hunks }) => [kind, propertiesOnly, hunks.length])).toEqual([
      ["modify", true, 0],
      ["modify", true, 0],
    ]);
    expect(truncated).toBe(false);
  });

  it("binaries, symlinks, keywords, line ends and bytes that are no text in UTF-8", async () => {
    const latin = Buffer.from("caf\xe9\n", "latin1");
    const { vcs } = trunk([
      [
        ["put", "trunk/nul.dat", Buffer.from([1, 0, 2])],
        ["put", "trunk/mime.txt", "text\n"],
        ["propset", "svn:mime-type", "application/pdf", "trunk/mime.txt"],
        ["put", "trunk/link", "link ../../etc/passwd"],
        ["propset", "svn:special", "*", "trunk/link"],
        ["put", "trunk/turns", "plain\n"],
        ["put", "trunk/latin.c", latin],
        ["put", "trunk/crlf.c", "a\r\nb\r\n"],
        ["put", "trunk/id.c", "$Id$\n1\n"],
        ["propset", "svn:keywords", "Id", "trunk/id.c"],
        ["put", "trunk/empty.c", ""],
      ],
      [
        ["put", "trunk/turns", "link target"],
        ["propset", "svn:special", "*", "trunk/turns"],
        ["put", "trunk/latin.c", Buffer.concat([latin, latin])],
        ["put", "trunk/crlf.c", "a\r\nc\r\n"],
        ["put", "trunk/id.c", "$Id$\n2\n"],
      ],
    ]);
    const change = await vcs.resolve({ spec: "r2" });
    const { files } = await vcs.listChanges(change);
    const by = new Map(files.map((file) => [file.path, file]));
    expect(by.get("nul.dat")?.isBinary).toBe(true);
    expect(by.get("mime.txt")?.isBinary).toBe(true);
    expect(by.get("link")).toMatchObject({ isSymlink: true, isBinary: false, newMode: "120000", size: 16 });
    const directory = freshDirectory();
    await vcs.materialise(change, { side: "new", directory, files, maxFileBytes: 100, maxTotalBytes: 1000 });
    expect(readFileSync(join(directory, "link"), "utf8")).toBe("../../etc/passwd");
    expect(readFileSync(join(directory, "latin.c"))).toEqual(latin);
    expect(readFileSync(join(directory, "id.c"), "utf8")).toBe("$Id$\n1\n");
    expect((await vcs.fetchExtraContext({ revision: "2", path: "link" })).text).toBe("../../etc/passwd");

    expect(await listed(vcs, "r3")).toEqual(["modify crlf.c", "modify id.c", "modify latin.c", "type turns"]);
    const lines = await changedLines(vcs, "r3");
    expect(lines).toMatchObject({ "crlf.c": "-b\r +c\r", "id.c": "-1 +2", "latin.c": "+caf\ufffd" });
  });

  it("many files are read by few processes, each with its own content", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}.c`);
    // Line ends that svn translates: what it prints is shorter (f8) or longer (f7) than what it has.
    const lineEnd = (name: string): string => (name === "f8.c" ? "\r\n" : "\n");
    const content = (name: string, round: number): string =>
      [name, "x".repeat(name.length * round), ""].join(lineEnd(name));
    const round = (number: number) => names.map((name) => ["put", `trunk/${name}`, content(name, number)] as const);
    const { vcs, started } = trunk([
      [
        ...round(1),
        ["propset", "svn:eol-style", "CRLF", "trunk/f7.c"],
        ["propset", "svn:eol-style", "native", "trunk/f8.c"],
      ],
      round(2),
    ]);
    const change = await vcs.resolve({ spec: "" });
    const { files } = await vcs.listChanges(change);
    await vcs.diff(change, files);
    const directory = freshDirectory();
    await vcs.materialise(change, { side: "new", directory, files, maxFileBytes: 1 << 20, maxTotalBytes: 1 << 20 });
    for (const name of names) {
      const written = readFileSync(join(directory, name), "utf8");
      expect(written.replaceAll("\r", "")).toBe(content(name, 2).replaceAll("\r", ""));
    }
    expect(countOf(started, "cat")).toBeLessThan(40);
  });

  it("a huge added file is never diffed by svn, and one over the limit is left out, not called binary", async () => {
    const huge = Array.from({ length: 200_000 }, (_, line) => `line ${line}\n`).join("");
    const { vcs, started } = trunk([
      [
        ["put", "trunk/huge.c", huge],
        ["put", "trunk/small.c", "1\n"],
      ],
    ]);
    const change = await vcs.resolve({ spec: "" });
    const { files } = await vcs.listChanges(change);
    const { diff } = await vcs.diff(change, files);
    expect(diff.files.map(({ hunks }) => hunks[0]?.newLines)).toEqual([200_000, 1]);
    expect(countOf(started, "diff")).toBe(0);

    const strict = trunk(
      [
        [
          ["put", "trunk/big.c", "x\n".repeat(1000)],
          ["put", "trunk/small.c", "1\n"],
        ],
      ],
      {
        limits: { maxDiffedFileBytes: 1000 },
      },
    );
    const cut = await strict.vcs.resolve({ spec: "" });
    const listing = await strict.vcs.listChanges(cut);
    expect(listing.files[0]).toMatchObject({ path: "big.c", isBinary: false, size: 2000 });
    expect(await strict.vcs.diff(cut, listing.files)).toMatchObject({ truncated: true, omitted: ["big.c"] });
  });
});
