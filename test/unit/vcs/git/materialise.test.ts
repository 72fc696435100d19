// Export of a change's files on real repositories: nothing is followed, run or written outside.
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

describe("materialise", () => {
  it("18: writes a link as a text file with its target and never follows it", async () => {
    const { vcs, change } = await changed([
      { files: { a: "1\n" } },
      {
        files: {
          link: { mode: "120000", target: "/proc/self/environ" },
          up: { mode: "120000", target: "../../outside" },
          "run.sh": { mode: "100755", content: "echo\n" },
        },
      },
    ]);
    const directory = freshDirectory();
    const { files } = await vcs.listChanges(change);
    const result = await vcs.materialise(change, { side: "new", directory, files, ...NO_CAP });
    expect(result.written).toContainEqual({ path: "link", bytes: 18 });
    for (const name of readdirSync(directory)) {
      const facts = lstatSync(join(directory, name));
      expect([name, facts.isFile(), (facts.mode & 0o777).toString(8)]).toEqual([name, true, "444"]);
    }
    expect(readFileSync(join(directory, "link"), "utf8")).toBe("/proc/self/environ");
  });

  it("21: fetches and runs nothing for submodules, LFS, hooks and filters", async () => {
    const { vcs, change, repo } = await changed([
      { files: { a: "1\n" } },
      {
        files: {
          ".gitattributes": "* filter=evil diff=evil text eol=crlf export-ignore ident\n*.txt -diff\n",
          ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = ext::sh -c "touch /tmp/pwned"\n',
          s: { mode: "160000", commit: "3".repeat(40) },
          "t.txt": "plain\n$Id$\n",
        },
      },
    ]);
    const marker = join(repo.path, "ran");
    for (const key of [
      "filter.evil.smudge",
      "diff.evil.textconv",
      "diff.evil.command",
      "core.fsmonitor",
      "core.sshCommand",
    ]) {
      repo.git("config", key, `touch ${marker}`);
    }
    const { files } = await vcs.listChanges(change);
    const { diff } = await vcs.diff(change, files);
    expect(diff.files.find((file) => file.newPath === "t.txt")?.hunks).toHaveLength(1);
    const directory = freshDirectory();
    const result = await vcs.materialise(change, { side: "new", directory, files, ...NO_CAP });
    expect(result.skipped).toEqual([{ path: "s", reason: "submodule" }]);
    expect(readFileSync(join(directory, "t.txt"), "utf8")).toBe("plain\n$Id$\n");
    expect(readdirSync(repo.path)).not.toContain("ran");
  });

  it("writes nothing outside the directory, whatever a tree says", async () => {
    const repo = createRepository();
    cleanups.push(repo.remove);
    // fast-import refuses such names, so the trees are written by hand.
    const blob = repo.git("rev-parse", `${repo.commit({ files: { x: "evil\n" } })[0]}:x`);
    const { execFileSync } = await import("node:child_process");
    const tree = (name: string, mode: string, id: string): string => {
      const input = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
      const args = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
      return execFileSync("git", args, { cwd: repo.path, input }).toString().trim();
    };
    for (const root of [
      tree("..", "40000", tree("escape", "100644", blob)),
      tree(".git", "40000", tree("config", "100644", blob)),
      tree("C:\\x", "100644", blob),
    ]) {
      const commit = repo.git("commit-tree", "-m", "x", root);
      const fixture = openVcs(repo.path);
      cleanups.push(fixture.remove);
      const change = await fixture.vcs.resolve({ spec: commit });
      const { files } = await fixture.vcs.listChanges(change);
      const directory = freshDirectory();
      const result = await fixture.vcs.materialise(change, { side: "new", directory, files, ...NO_CAP });
      expect(result.written).toEqual([]);
      expect(result.skipped).toMatchObject([{ reason: "unsafe_path" }]);
      expect(readdirSync(join(directory, ".."))).toEqual(["source"]);
    }
  });

  it("keeps its caps, and exports the old side under the old names", async () => {
    const { vcs, change } = await changed([
      {
        files: {
          "small.txt": "1\n",
          "big.txt": "x".repeat(5000),
          "from.txt": "a\nb\nc\nd\ne\n",
          "c.txt": "y".repeat(90),
        },
      },
      {
        files: {
          "small.txt": "2\n",
          "big.txt": "z".repeat(5000),
          "from.txt": null,
          "to.txt": "a\nb\nc\nd\ne\n",
          "c.txt": null,
          "n.txt": "n",
        },
      },
    ]);
    const { files } = await vcs.listChanges(change);
    const options = { side: "old" as const, files, maxFileBytes: 1000, maxTotalBytes: 50 };
    const result = await vcs.materialise(change, { ...options, directory: freshDirectory() });
    expect(result.written.map((file) => file.path)).toEqual(["small.txt", "from.txt"]);
    expect(result.skipped).toEqual([
      { path: "big.txt", reason: "too_large" },
      { path: "c.txt", reason: "budget" },
    ]);
  });

  it("needs about ten processes for a whole small review", async () => {
    const { vcs, change, started } = await changed([{ files: { a: "1\n" } }, { files: { a: "2\n" } }]);
    const { files } = await vcs.listChanges(change);
    await vcs.diff(change, files);
    await vcs.materialise(change, { side: "new", directory: freshDirectory(), files, ...NO_CAP });
    await vcs.materialise(change, { side: "old", directory: freshDirectory(), files, ...NO_CAP });
    expect(started.length).toBeLessThanOrEqual(10);
  });
});
