// Copies, moves and deletions of files and folders: what a reviewer reads of them, and what is left out.
import { afterAll, expect, it } from "vitest";
import { describeWithPeer } from "../../../peers.ts";
import { changedLines, cleanUp, listed, openSvn, trunk } from "./support.ts";

afterAll(cleanUp);

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");

describeWithPeer("svn", "copies and moves", () => {
  it("copies and moves show their real edit", async () => {
    const { vcs } = trunk([
      [
        ["put", "trunk/old.c", LINES],
        ["put", "trunk/source.c", LINES],
        ["put", "trunk/pure.c", LINES],
      ],
      [
        ["mv", "trunk/old.c", "trunk/new.c"],
        ["put", "trunk/new.c", `${LINES}more\n`],
        ["cp", 2, "trunk/source.c", "trunk/copy.c"],
        ["put", "trunk/copy.c", `top\n${LINES}`],
        ["mv", "trunk/pure.c", "trunk/moved.c"],
      ],
    ]);
    expect(await listed(vcs, "r3")).toEqual([
      "copy source.c > copy.c",
      "rename pure.c > moved.c",
      "rename old.c > new.c",
    ]);
    expect(await changedLines(vcs, "r3")).toEqual({ "copy.c": "+top", "moved.c": "", "new.c": "+more" });
  });

  it("a copied folder is skipped but for its edited files; a moved one takes its deletions along", async () => {
    const { vcs } = trunk([
      [
        ["mkdir", "trunk/d"],
        ["put", "trunk/d/a.c", LINES],
        ["put", "trunk/d/b.c", LINES],
        ["put", "trunk/d/c.c", LINES],
      ],
      [
        ["cp", 2, "trunk/d", "trunk/copied"],
        ["put", "trunk/copied/a.c", `${LINES}x\n`],
        ["rm", "trunk/copied/b.c"],
        ["put", "trunk/copied/fresh.c", "new\n"],
      ],
      [
        ["mv", "trunk/d", "trunk/moved"],
        ["put", "trunk/moved/a.c", `${LINES}y\n`],
        ["rm", "trunk/moved/b.c"],
      ],
    ]);
    expect(await listed(vcs, "r3")).toEqual(["copy d/a.c > copied/a.c", "add copied/fresh.c"]);
    expect(await changedLines(vcs, "r3")).toEqual({ "copied/a.c": "+x", "copied/fresh.c": "+new" });
    expect(await listed(vcs, "r4")).toEqual(["delete d/b.c", "rename d/a.c > moved/a.c"]);
    expect((await changedLines(vcs, "r4"))["moved/a.c"]).toBe("+y");
  });

  it("a deleted folder is shown file by file, a replaced one by what differs", async () => {
    const { vcs } = trunk([
      [
        ["mkdir", "trunk/d"],
        ["mkdir", "trunk/d/e"],
        ["put", "trunk/d/a.c", "a\n"],
        ["put", "trunk/d/e/b.c", "b\n"],
        ["mkdir", "trunk/r"],
        ["put", "trunk/r/same.c", "s\n"],
        ["put", "trunk/r/gone.c", "g\n"],
      ],
      [["rm", "trunk/d"]],
      [
        ["rm", "trunk/r"],
        ["mkdir", "trunk/r"],
        ["put", "trunk/r/same.c", "other\n"],
      ],
    ]);
    expect(await listed(vcs, "r3")).toEqual(["delete d/a.c", "delete d/e/b.c"]);
    expect(await changedLines(vcs, "r3")).toEqual({ "d/a.c": "-a", "d/e/b.c": "-b" });
    expect(await listed(vcs, "r4")).toEqual(["delete r/gone.c", "modify r/same.c"]);
    expect((await changedLines(vcs, "r4"))["r/same.c"]).toBe("-s +other");
  });

  it("a file in a folder's place deletes what the folder held, and the other way round", async () => {
    const { vcs } = trunk([
      [
        ["mkdir", "trunk/d"],
        ["put", "trunk/d/a.c", "a\n"],
        ["put", "trunk/f", "f\n"],
      ],
      [
        ["rm", "trunk/d"],
        ["put", "trunk/d", "now a file\n"],
        ["rm", "trunk/f"],
        ["mkdir", "trunk/f"],
        ["put", "trunk/f/b.c", "b\n"],
      ],
      [
        ["rm", "trunk/d"],
        ["mkdir", "trunk/d"],
        ["put", "trunk/d/a.c", "a\n"],
      ],
      [
        ["rm", "trunk/d"],
        ["put", "trunk/d", "a file again\n"],
      ],
    ]);
    expect(await listed(vcs, "r3")).toEqual(["add d", "delete d/a.c", "delete f", "add f/b.c"]);
    expect(await listed(vcs, "r5")).toEqual(["add d", "delete d/a.c"]);
    expect(await changedLines(vcs, "r5")).toEqual({ d: "+a file again", "d/a.c": "-a" });
  });

  it("what comes from outside of the folder is new to it; making a branch is not", async () => {
    const { vcs, repo } = trunk([
      [["cp", 1, "trunk", "branches/b"]],
      [
        ["mkdir", "branches/b/lib"],
        ["put", "branches/b/lib/l.c", "l\n"],
        ["put", "branches/b/one.c", "1\n"],
      ],
      [
        ["cp", 3, "branches/b/lib", "trunk/lib"],
        ["cp", 3, "branches/b/one.c", "trunk/one.c"],
      ],
      [["rm", "trunk/lib"]],
      [["cp", 4, "trunk/lib", "trunk/lib"]],
      [["cp", 6, "trunk", "branches/whole"]],
    ]);
    expect(await listed(vcs, "r3")).toEqual([]);
    expect(await listed(vcs, "r4")).toEqual(["add lib/l.c", "add one.c"]);
    expect(await listed(vcs, "r6")).toEqual(["add lib/l.c"]);
    expect(await listed(openSvn(`${repo.url}/branches/whole`).vcs, "r7")).toEqual([]);
    expect(await listed(openSvn(repo.url).vcs, "r7")).toEqual([]);
  });

  it("a range shows the net effect, with moves followed through it", async () => {
    const { vcs } = trunk([
      [
        ["mkdir", "trunk/d"],
        ["put", "trunk/d/a.c", LINES],
        ["put", "trunk/d/b.c", LINES],
        ["put", "trunk/c.c", "1\n"],
      ],
      [["mv", "trunk/d", "trunk/e"]],
      [
        ["put", "trunk/e/a.c", `${LINES}x\n`],
        ["put", "trunk/tmp.c", "t\n"],
      ],
      [
        ["rm", "trunk/tmp.c"],
        ["mv", "trunk/e/a.c", "trunk/f.c"],
        ["rm", "trunk/c.c"],
      ],
    ]);
    expect(await listed(vcs, "r2:r5")).toEqual(["delete c.c", "rename d/a.c > f.c"]);
    expect((await changedLines(vcs, "r2:r5"))["f.c"]).toBe("+x");
    expect(await listed(vcs, "r0:r2")).toEqual(["add c.c", "add d/a.c", "add d/b.c"]);
    expect(await listed(vcs, "1:2")).toEqual(await listed(vcs, "r2"));
  });
});
