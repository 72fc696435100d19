// Which head and which base a revision means, on real local repositories.
import { afterAll, describe, expect, it } from "vitest";
import { createRepository, type GitRepository } from "../../../fakes/git-repository.ts";
import { type Fixture, openVcs, reasonOf } from "./support.ts";

const cleanups: (() => void)[] = [];
afterAll(() => {
  for (const cleanup of cleanups.reverse()) cleanup();
});

function repository(options: Parameters<typeof createRepository>[0] = {}): GitRepository {
  const made = createRepository(options);
  cleanups.push(made.remove);
  return made;
}

function open(path: string, options: Parameters<typeof openVcs>[1] = {}): Fixture {
  const made = openVcs(path, options);
  cleanups.push(made.remove);
  return made;
}

/** main: m1 m2 m3 m4(merge of feature); feature: from m2, f1 f2. */
function usual(options: Parameters<typeof createRepository>[0] = {}) {
  const repo = repository(options);
  const [m1, m2, m3, f1, f2] = repo.commit(
    { files: { "a.txt": "1\n" } },
    { files: { "a.txt": "1\n2\n" } },
    { files: { "a.txt": "1\n2\n3\n" } },
    { ref: "refs/heads/feature", from: ":2", files: { "b.txt": "b\n" }, author: "Bob", message: "add b\n\nbody" },
    { ref: "refs/heads/feature", files: { "c.txt": "c\n" } },
  ) as [string, string, string, string, string];
  return { repo, m1, m2, m3, f1, f2, vcs: open(repo.path).vcs };
}

describe("resolve", () => {
  it("takes the newest change of the default branch for an empty revision", async () => {
    const { vcs, m2, m3 } = usual();
    const change = await vcs.resolve({ spec: "" });
    expect(change).toMatchObject({
      repository: "repo",
      vcs: "git",
      head: { canonical: m3, author: "Ada", parents: [m2], display: m3.slice(0, 10), flags: [] },
      base: { canonical: m2 },
      baseReason: "first_parent",
      ref: "refs/heads/main",
      isDefaultBranch: true,
      spec: "",
    });
  });

  it("takes shas, abbreviations, tags and steps against their first parent", async () => {
    const { vcs, repo, m1, m2, m3 } = usual();
    repo.git("tag", "light", m2);
    repo.git("tag", "-a", "-m", "x", "v1.0", m2);
    for (const spec of [
      m2,
      m2.slice(0, 8),
      m2.slice(0, 12).toUpperCase(),
      "light",
      "v1.0",
      "refs/tags/v1.0",
      "HEAD~1",
      "main^",
      "main~1",
    ]) {
      const change = await vcs.resolve({ spec });
      expect([spec, change.head.canonical, change.base]).toMatchObject([spec, m2, { canonical: m1 }]);
      expect(change.baseReason).toBe("first_parent");
    }
    expect((await vcs.resolve({ spec: "v1.0" })).ref).toBe("refs/tags/v1.0");
    expect(await vcs.resolve({ spec: m2 })).toMatchObject({ ref: "refs/heads/main", isDefaultBranch: true });
    expect((await vcs.resolve({ spec: "HEAD" })).head.canonical).toBe(m3);
  });

  it.each([false, true])("compares a root commit with the empty tree (sha256: %s)", async (sha256) => {
    const { vcs, m1 } = usual({ sha256 });
    const change = await vcs.resolve({ spec: m1 });
    expect(change).toMatchObject({ base: "empty", baseReason: "empty_tree", head: { flags: ["root"] } });
    const { files } = await vcs.listChanges(change);
    expect(files).toMatchObject([{ kind: "add", path: "a.txt", size: 2 }]);
    expect((await vcs.diff(change, files)).diff.files).toHaveLength(1);
  });

  it("E9: compares a branch with its merge base, so that the default branch's own commits do not show", async () => {
    const { vcs, m2, f2 } = usual();
    const change = await vcs.resolve({ spec: "feature" });
    expect(change).toMatchObject({
      head: { canonical: f2 },
      base: { canonical: m2 },
      baseReason: "merge_base",
      ref: "refs/heads/feature",
      isDefaultBranch: false,
    });
    expect((await vcs.listChanges(change)).files.map((file) => file.path)).toEqual(["b.txt", "c.txt"]);
  });

  it("E9: takes the merge base of both ends of a range, with two dots as with three", async () => {
    const { vcs, m2, m3, f1, f2 } = usual();
    for (const spec of ["main..feature", "main...feature", `${m3.slice(0, 9)}..${f2}`]) {
      const change = await vcs.resolve({ spec });
      expect(change).toMatchObject({ head: { canonical: f2 }, base: { canonical: m2 }, baseReason: "range" });
    }
    expect(await vcs.resolve({ spec: `${f1}..feature` })).toMatchObject({ base: { canonical: f1 } });
  });

  it("counts a bare commit to the branch that contains it", async () => {
    const { vcs, f1, m2 } = usual();
    expect(await vcs.resolve({ spec: f1 })).toMatchObject({
      ref: "refs/heads/feature",
      isDefaultBranch: false,
      base: { canonical: m2 },
      head: { author: "Bob", authorEmail: "bob@example.com", message: "add b\n\nbody" },
    });
  });

  it("compares a merge with its first parent", async () => {
    const { vcs, repo, m3 } = usual();
    const [merge] = repo.commit({ merge: ["refs/heads/feature^0"], files: { "b.txt": "b\n", "c.txt": "c\n" } });
    const change = await vcs.resolve({ spec: "" });
    expect(change).toMatchObject({ head: { canonical: merge, flags: ["merge"] }, base: { canonical: m3 } });
    expect((await vcs.listChanges(change)).files).toHaveLength(2);
  });

  it("gives an empty change for a merged branch, and everything for an unrelated one", async () => {
    const { vcs, repo, m2 } = usual();
    repo.git("branch", "old", m2);
    const merged = await vcs.resolve({ spec: "old" });
    expect(merged).toMatchObject({ base: { canonical: m2 }, head: { canonical: m2 } });
    expect(await vcs.listChanges(merged)).toEqual({ files: [], truncated: false });
    repo.commit({ ref: "refs/heads/pages", files: { "index.html": "x\n" } });
    expect(await vcs.resolve({ spec: "pages" })).toMatchObject({ base: "empty", baseReason: "empty_tree" });
    expect(await reasonOf(vcs.resolve({ spec: "main..pages" }))).toBe("no_common_history");
  });

  it("reviews the newest commit of a checked-out branch for HEAD, also when detached", async () => {
    const { vcs, repo, f1, f2, m2 } = usual();
    repo.git("symbolic-ref", "HEAD", "refs/heads/feature");
    expect(await vcs.resolve({ spec: "HEAD" })).toMatchObject({
      head: { canonical: f2 },
      base: { canonical: f1 },
      ref: "refs/heads/feature",
      isDefaultBranch: false,
    });
    repo.git("update-ref", "--no-deref", "HEAD", m2);
    expect(await vcs.resolve({ spec: "HEAD" })).toMatchObject({ head: { canonical: m2 }, ref: "refs/heads/main" });
  });

  it("says that a name is ambiguous and accepts the full refs it offers", async () => {
    const { vcs, repo, m1, f2 } = usual();
    repo.git("branch", "twice", f2);
    repo.git("tag", "twice", m1);
    await expect(vcs.resolve({ spec: "twice" })).rejects.toMatchObject({
      code: "not_found",
      reason: "ambiguous_revision",
      remedy: "Type refs/tags/twice or refs/heads/twice.",
    });
    expect((await vcs.resolve({ spec: "refs/tags/twice" })).head.canonical).toBe(m1);
    expect((await vcs.resolve({ spec: "heads/twice" })).head.canonical).toBe(f2);
  });

  it("prefers an id over a branch that is named like it", async () => {
    const { vcs, repo, m1, f2 } = usual();
    repo.git("update-ref", `refs/heads/${m1}`, f2);
    expect((await vcs.resolve({ spec: m1 })).head.canonical).toBe(m1);
  });

  it.each(["nosuch", "deadbeef", "0".repeat(40), "main~99", "refs/heads/nosuch", "#12", "!7"])(
    "does not know %s",
    async (spec) => {
      await expect(usual().vcs.resolve({ spec })).rejects.toMatchObject({
        code: "not_found",
        reason: "unknown_revision",
        params: { rev: spec, repository: "repo" },
      });
    },
  );

  it("E7: a revision that begins with - never reaches git, nor starts it", async () => {
    const { repo } = usual();
    const { vcs, started } = open(repo.path);
    for (const spec of ["--output=/tmp/x", "-O", "main..--output=x", "--upload-pack=touch x"]) {
      expect(await reasonOf(vcs.resolve({ spec }))).toBe("bad_revision");
    }
    expect(started).toEqual([]);
  });

  it("covers everything since the last reviewed head of a push", async () => {
    const { vcs, m1, m3, f1, f2, m2 } = usual();
    const ref = "refs/heads/main";
    expect(await vcs.resolve({ spec: m3, ref, since: m1 })).toMatchObject({
      base: { canonical: m1 },
      baseReason: "last_reviewed",
    });
    expect(await vcs.resolve({ spec: m3, ref, since: "0".repeat(40) })).toMatchObject({ base: { canonical: m2 } });
    expect(await vcs.resolve({ spec: m3, ref, since: f1 })).toMatchObject({
      base: { canonical: m2 },
      baseReason: "merge_base",
      head: { flags: ["forced"] },
    });
    const feature = { ref: "refs/heads/feature", since: "1".repeat(40) };
    expect(await vcs.resolve({ spec: f2, ...feature })).toMatchObject({
      base: { canonical: m2 },
      baseReason: "merge_base",
      head: { flags: ["forced"] },
    });
    expect(await reasonOf(vcs.resolve({ spec: "0".repeat(40), ref }))).toBe("unknown_revision");
  });
});

describe("sources", () => {
  it("reads bare repositories, linked work trees, sub-folders, packed refs and SHA-256", async () => {
    const { repo, m3 } = usual();
    repo.git("pack-refs", "--all");
    repo.git("worktree", "add", "-q", "--detach", `${repo.path}-linked`, "feature~1");
    cleanups.push(() => repo.git("worktree", "remove", "--force", `${repo.path}-linked`));
    repo.git("clone", "-q", "--bare", repo.path, `${repo.path}/bare.git`);
    repo.git("checkout", "-q", "main");
    for (const path of [`${repo.path}-linked`, `${repo.path}/bare.git`, `${repo.path}/.git/refs`]) {
      expect([path, (await open(path).vcs.resolve({ spec: "" })).head.canonical]).toEqual([path, m3]);
    }
    const linked = await open(`${repo.path}-linked`).vcs.resolve({ spec: "HEAD" });
    expect(linked.ref).toBe("refs/heads/feature");
  });

  it("guesses the default branch of a clone from its remote, and obeys the configuration", async () => {
    const { repo, f2 } = usual();
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feature");
    repo.git("update-ref", "refs/remotes/origin/feature", f2);
    expect((await open(repo.path).vcs.check()).defaultBranch).toBe("feature");
    const configured = await open(repo.path, { defaultBranch: "main" }).vcs.check();
    expect(configured).toMatchObject({ defaultBranch: "main", head: { author: "Ada" } });
  });

  it("reviews what a shallow history can tell, and says where it ends", async () => {
    const { repo, m2, m3 } = usual();
    const shallow = `${repo.path}/shallow`;
    repo.git("clone", "-q", "--depth", "2", `file://${repo.path}`, shallow);
    const { vcs } = open(shallow);
    expect(await vcs.resolve({ spec: "" })).toMatchObject({ head: { canonical: m3 }, base: { canonical: m2 } });
    expect(await reasonOf(vcs.resolve({ spec: "HEAD~1" }))).toBe("shallow_history");
    const blame = await vcs.fetchAttribution({ revision: m3, path: "a.txt" });
    expect(blame.status).toBe("partial");
  });

  it("says what is wrong with an empty repository and with no repository", async () => {
    const { vcs } = open(repository().path);
    expect(await reasonOf(vcs.resolve({ spec: "" }))).toBe("empty_repository");
    expect(await reasonOf(vcs.resolve({ spec: "main" }))).toBe("empty_repository");
    expect(await vcs.check()).toEqual({ head: null, defaultBranch: null });
    expect(
      await reasonOf(
        open(repository().path, { source: { kind: "path", path: `${repository().path}/typo` } }).vcs.check(),
      ),
    ).toBe("not_a_repository");
    expect(await reasonOf(open("/").vcs.resolve({ spec: "" }))).toBe("not_a_repository");
  });

  it("reviews commits only, and writes nothing into the source", async () => {
    const { repo, vcs, m3 } = usual();
    repo.git("checkout", "-q", "main");
    const before = repo.git("status", "--porcelain", "--ignored") + repo.git("count-objects", "-v");
    const { readdirSync, writeFileSync } = await import("node:fs");
    writeFileSync(`${repo.path}/a.txt`, "uncommitted\n");
    const names = readdirSync(repo.path, { recursive: true }).sort().join("\n");
    const change = await vcs.resolve({ spec: "HEAD" });
    expect(change.head.canonical).toBe(m3);
    expect((await vcs.fetchExtraContext({ revision: m3, path: "a.txt" })).text).toBe("1\n2\n3\n");
    await vcs.diff(change, (await vcs.listChanges(change)).files);
    expect(readdirSync(repo.path, { recursive: true }).sort().join("\n")).toBe(names);
    expect(before).not.toContain("garbage: 1");
  });
});
