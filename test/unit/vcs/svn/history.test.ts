// Resolving, polling and attribution on real repositories: nothing skipped, nothing repeated, nothing guessed.
import { execFileSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { createSvnRepository } from "../../../fakes/svn-repository.ts";
import { describeWithPeer } from "../../../peers.ts";
import { cleanUp, later, openSvn, reasonOf, trunk } from "./support.ts";

afterAll(cleanUp);

describeWithPeer("svn", "revisions", () => {
  it("are resolved by number, range, feed and as the newest of the folder", async () => {
    const { vcs, repo } = trunk([
      [["put", "trunk/a.c", "1\n"]],
      [["put", "trunk/a.c", "2\n"]],
      [["mkdir", "branches/x"]],
    ]);
    const ends = async (request: Parameters<typeof vcs.resolve>[0]) => {
      const { base, head, baseReason } = await vcs.resolve(request);
      return [base === "empty" ? base : base.canonical, head.canonical, baseReason];
    };
    expect(await ends({ spec: "" })).toEqual(["2", "3", "own_delta"]);
    expect(await ends({ spec: "r1" })).toEqual(["empty", "1", "own_delta"]);
    expect(await ends({ spec: "r1:r3" })).toEqual(["1", "3", "range"]);
    expect(await ends({ spec: "4", ref: "svn", since: "1" })).toEqual(["1", "4", "last_reviewed"]);
    expect(await ends({ spec: "3", ref: "svn", since: "2" })).toEqual(["2", "3", "own_delta"]);
    expect(await ends({ spec: "3", ref: "svn", since: "3" })).toEqual(["2", "3", "own_delta"]);
    for (const spec of ["r5", "r0", "r2147483647", "r2:r5"]) {
      expect(await reasonOf(vcs.resolve({ spec }))).toBe("unknown_revision");
    }
    expect(await reasonOf(vcs.resolve({ spec: "HEAD" }))).toBe("bad_revision");
    expect(await vcs.isAncestor("2", "3")).toBe(true);
    expect(await vcs.isAncestor("3", "2")).toBe(false);
    expect((await openSvn(repo.url).vcs.check()).defaultBranch).toBeNull();
  });

  it("of an empty repository: there is none", async () => {
    const repo = createSvnRepository();
    later(repo.remove);
    const { vcs } = openSvn(repo.url);
    expect(await reasonOf(vcs.resolve({ spec: "" }))).toBe("empty_repository");
    expect(await vcs.check()).toEqual({ head: null, defaultBranch: null });
  });

  it("are polled once each, in order, only those of the folder, over restarts and limits", async () => {
    const { vcs, repo } = trunk([[["put", "trunk/a.c", "0\n"]]]);
    const first = await vcs.poll(null, 10);
    expect(first).toMatchObject({ events: [], gap: false });
    expect(await vcs.poll(first.next, 10)).toEqual({ events: [], next: first.next, gap: false });
    for (const number of [3, 5, 7]) {
      expect(repo.commit([["put", "trunk/a.c", `${number}\n`]])).toBe(number);
      repo.commit([["mkdir", `branches/b${number}`]]);
    }
    const heads: string[] = [];
    let cursor = first.next;
    for (let round = 0; round < 4; round++) {
      const poll = await openSvn(`${repo.url}/trunk`).vcs.poll(cursor, 2);
      heads.push(...poll.events.map(({ before, head }) => `${before}..${head}`));
      cursor = poll.next;
    }
    expect(heads).toEqual(["2..3", "4..5", "6..7"]);
    expect(JSON.parse(cursor)).toMatchObject({ revision: 8 });
  });

  it("leave a gap when the repository is another one or went back", async () => {
    const { vcs, repo } = trunk([[["put", "trunk/a.c", "0\n"]]]);
    const { next } = await vcs.poll(null, 10);
    const ahead = JSON.stringify({ ...JSON.parse(next), revision: 9 });
    for (const cursor of [ahead, "nonsense", "{}", JSON.stringify({ ...JSON.parse(next), v: 2 })]) {
      expect(await vcs.poll(cursor, 10)).toEqual({ events: [], next, gap: true });
    }
    execFileSync("svnadmin", ["setuuid", repo.path]);
    const other = await vcs.poll(next, 10);
    expect(other.gap).toBe(true);
    expect(other.next).not.toBe(next);
  });

  it("are named for every line, never with its text", async () => {
    const { vcs, repo } = trunk([
      [["put", "trunk/a.c", "first\nsecond\n"]],
      [["put", "trunk/a.c", "first\nchanged\nthird"]],
    ]);
    repo.commit([["put", "trunk/n.dat", Buffer.from([0, 1])]]);
    const whole = await vcs.fetchAttribution({ revision: "3", path: "./a.c" });
    expect(whole.status).toBe("ok");
    expect(whole.entries.map(({ line, revision, author }) => [line, revision, author])).toEqual([
      [1, "2", "ada"],
      [2, "3", "ada"],
      [3, "3", "ada"],
    ]);
    expect(JSON.stringify(whole)).not.toContain("changed");
    const clipped = await vcs.fetchAttribution({ revision: "3", path: "a.c", lines: { start: 2, end: 9 } });
    expect([clipped.status, clipped.entries.length]).toEqual(["partial", 2]);
    for (const path of ["none.c", "n.dat"]) {
      expect(await vcs.fetchAttribution({ revision: "4", path })).toEqual({ path, status: "not_found", entries: [] });
    }
    const range = { start: 2, end: 1 };
    expect(await reasonOf(vcs.fetchAttribution({ revision: "3", path: "a.c", lines: range }))).toBe("bad_range");
    expect(await reasonOf(vcs.fetchAttribution({ revision: "9", path: "a.c" }))).toBe("unknown_revision");
  });

  it("give lines of files, refused outside of the folder", async () => {
    const { vcs } = trunk([
      [
        ["put", "trunk/a.c", "1\n2\n3\n"],
        ["put", "branches/secret.c", "s\n"],
        ["put", "trunk/b", Buffer.from([0])],
      ],
    ]);
    expect(await vcs.fetchExtraContext({ revision: "2", path: "a.c", lines: { start: 2, end: 2 } })).toEqual({
      path: "a.c",
      text: "2\n",
      firstLine: 2,
      totalLines: 3,
      truncated: false,
    });
    const refused = {
      "../branches/secret.c": "bad_path",
      "/etc/passwd": "bad_path",
      "a/../../branches/secret.c": "bad_path",
      "..%2Fbranches%2Fsecret.c": "path_not_found",
      "%2e%2e/branches/secret.c": "path_not_found",
      "secret.c": "path_not_found",
      "a.c@1": "path_not_found",
      "": "bad_path",
      b: "not_text",
    };
    for (const [path, reason] of Object.entries(refused)) {
      expect([path, await reasonOf(vcs.fetchExtraContext({ revision: "2", path }))]).toEqual([path, reason]);
    }
    expect(await reasonOf(vcs.fetchExtraContext({ revision: "99", path: "a.c" }))).toBe("unknown_revision");
    expect(await reasonOf(vcs.fetchExtraContext({ revision: "HEAD", path: "a.c" }))).toBe("bad_revision");
  });
});
