// Remote repositories: a real private git server on loopback, its outages and refusals, and caches shared by processes.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processes } from "../../../../src/process/spawn.ts";
import type { GitVcsOptions } from "../../../../src/vcs/git/options.ts";
import { type GitHttpServer, startGitHttpServer } from "../../../fakes/git-http-server.ts";
import { createRepository, type GitRepository, temporaryDirectory } from "../../../fakes/git-repository.ts";
import { clock, openVcs, reasonOf } from "./support.ts";

const PASSWORD = "correct horse/battery";
const root = temporaryDirectory();
const cleanups: (() => void)[] = [root.remove];
let server: GitHttpServer;
let repo: GitRepository;
let ids: readonly string[];

beforeAll(async () => {
  server = await startGitHttpServer({ root: root.path, username: "bot", password: PASSWORD });
});
afterAll(async () => {
  await server.stop();
  for (const cleanup of cleanups.reverse()) cleanup();
});

let count = 0;
/** A fresh server repository for each test: main c0 c1, feature from c0: f. */
beforeEach(() => {
  server.answer = null;
  repo = createRepository({ bare: true, path: join(root.path, "team", `repo${++count}.git`) });
  ids = repo.commit(
    { files: { "a.txt": "1\n" } },
    { files: { "a.txt": "2\n" } },
    { ref: "refs/heads/feature", from: ":1", files: { "b.txt": "1\n" } },
  );
});

const url = (): string => `${server.url}/team/repo${count}.git`;
function open(rest: Partial<GitVcsOptions> = {}, password: string | null = PASSWORD) {
  const credentials = password === null ? {} : { credentials: { username: "bot", password } };
  const fixture = openVcs(root.path, { source: { kind: "url", url: url(), ...credentials }, ...rest });
  cleanups.push(fixture.remove);
  return fixture;
}

describe("a private remote", () => {
  it("is read with credentials that appear in no argument and no file", async () => {
    const { vcs, started, cacheDir } = open();
    const change = await vcs.resolve({ spec: "feature" });
    expect(change).toMatchObject({
      head: { canonical: ids[2] },
      base: { canonical: ids[0] },
      baseReason: "merge_base",
    });
    const { files } = await vcs.listChanges(change);
    expect((await vcs.diff(change, files)).diff.files).toMatchObject([{ newPath: "b.txt" }]);
    expect(await vcs.check()).toMatchObject({ defaultBranch: "main", head: { canonical: ids[1] } });
    expect(JSON.stringify(started)).not.toContain("horse");
    for (const name of readdirSync(cacheDir, { recursive: true, encoding: "utf8" })) {
      const path = join(cacheDir, name);
      if (statSync(path).isFile()) expect(readFileSync(path, "latin1")).not.toContain("horse");
    }
  });

  it("E6: a wrong password, a missing repository and an outage are faults without secrets, never empty changes", async () => {
    const wrong = await open({}, "wrong secret")
      .vcs.resolve({ spec: "" })
      .catch((error: unknown) => error);
    expect(wrong).toMatchObject({ code: "auth", reason: "vcs_auth", retryable: false });
    expect(JSON.stringify(wrong) + String(wrong)).not.toContain("wrong secret");
    expect(await reasonOf(open({}, null).vcs.resolve({ spec: "" }))).toBe("vcs_auth");
    const missing = {
      kind: "url" as const,
      url: `${server.url}/no/such.git`,
      credentials: { username: "bot", password: PASSWORD },
    };
    expect(await reasonOf(open({ source: missing }).vcs.resolve({ spec: "" }))).toBe("not_a_repository");
    server.answer = (_, response) => void response.writeHead(503).end();
    await expect(open().vcs.resolve({ spec: "" })).rejects.toMatchObject({ code: "unavailable", retryable: true });
    server.answer = () => undefined;
    await expect(open().vcs.resolve({ spec: "" }, { deadlineMs: 700 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("13: does not follow a redirect, and so hands no password to another host", async () => {
    const other = await startGitHttpServer({ root: root.path });
    server.answer = (request, response) => {
      response.writeHead(302, { Location: `${other.url}${request.url}` }).end();
    };
    expect(await reasonOf(open().vcs.resolve({ spec: "" }))).toBe("vcs_unreachable");
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  it("asks once and fetches nothing while the remote stands still", async () => {
    const { vcs, started } = open();
    await vcs.resolve({ spec: "" });
    started.length = 0;
    await vcs.resolve({ spec: "" });
    const verbs = started.map((argv) => argv[2]);
    expect(verbs.filter((verb) => verb === "ls-remote")).toHaveLength(1);
    expect(verbs).not.toContain("fetch");
  });

  it("follows new commits, force pushes, deletions, and a branch that becomes a folder", async () => {
    const { vcs } = open();
    const first = await vcs.poll(null, 10);
    await vcs.resolve({ spec: "" });
    repo.git("update-ref", "-d", "refs/heads/feature");
    const [next, moved] = repo.commit(
      { files: { "a.txt": "3\n" } },
      { ref: "refs/heads/feature/one", from: ids[1] ?? "", files: { "c.txt": "1\n" } },
    );
    expect(await vcs.resolve({ spec: "feature/one" })).toMatchObject({
      head: { canonical: moved },
      base: { canonical: ids[1] },
    });
    expect((await vcs.poll(first.next, 10)).events).toEqual([
      { ref: "refs/heads/feature", before: ids[2], forced: false },
      { ref: "refs/heads/feature/one", head: moved, forced: false },
      { ref: "refs/heads/main", before: ids[1], head: next, forced: false },
    ]);
    repo.git("update-ref", "refs/heads/main", ids[0] ?? "");
    const [forced] = repo.commit({ files: { "a.txt": "other\n" } });
    const second = await vcs.poll(first.next, 10);
    expect(second.events.at(-1)).toMatchObject({ ref: "refs/heads/main", head: forced, forced: true });
    expect((await vcs.resolve({ spec: "" })).head.canonical).toBe(forced);
  });

  it("reviews only commits that an allowed ref contains", async () => {
    const { vcs } = open();
    const lost = ids[1] ?? "";
    expect((await vcs.resolve({ spec: lost.slice(0, 10) })).head.canonical).toBe(lost);
    repo.git("update-ref", "refs/heads/main", ids[0] ?? "");
    expect(await reasonOf(vcs.resolve({ spec: lost }))).toBe("unknown_revision");
    expect(await reasonOf(vcs.resolve({ spec: `${lost}..main` }))).toBe("unknown_revision");
  });

  it("fetches the head of a pull or merge request by number or pasted link", async () => {
    const [pull] = repo.commit({ ref: "refs/pull/12/head", from: ids[0] ?? "", files: { "p.txt": "1\n" } });
    const [merge] = repo.commit({ ref: "refs/merge-requests/7/head", from: ids[1] ?? "", files: { "m.txt": "1\n" } });
    const { vcs } = open();
    for (const spec of ["#12", "!12", `${url().replace(/\.git$/, "")}/pull/12/files`]) {
      expect(await vcs.resolve({ spec })).toMatchObject({
        head: { canonical: pull },
        base: { canonical: ids[0] },
        baseReason: "merge_base",
        ref: "refs/pull/12/head",
        isDefaultBranch: false,
      });
    }
    expect((await vcs.resolve({ spec: "!7" })).head.canonical).toBe(merge);
    expect(await reasonOf(vcs.resolve({ spec: "#99" }))).toBe("unknown_revision");
  });

  it("reads SHA-256 remotes", async () => {
    repo = createRepository({ bare: true, sha256: true, path: join(root.path, "team", `repo${++count}.git`) });
    const [only] = repo.commit({ files: { a: "1\n" } });
    expect(await open().vcs.resolve({ spec: "" })).toMatchObject({ head: { canonical: only }, base: "empty" });
  });

  it("lets a dozen reviews share one cache", async () => {
    const cache = temporaryDirectory();
    cleanups.push(cache.remove);
    const fixtures = Array.from({ length: 12 }, () => open({ cacheDir: cache.path }));
    const heads = await Promise.all(fixtures.map(({ vcs }) => vcs.resolve({ spec: "" })));
    expect(new Set(heads.map((change) => change.head.canonical))).toEqual(new Set([ids[1]]));
    const fetches = fixtures.flatMap(({ started }) => started.filter((argv) => argv[2] === "fetch"));
    expect(fetches).toHaveLength(1);
  });

  it("recovers from the locks that a killed process left", async () => {
    const { vcs, cacheDir } = open();
    await vcs.resolve({ spec: "" });
    const bare = join(cacheDir, readdirSync(cacheDir).find((name) => name.endsWith(".git")) ?? "");
    // A process that has ended: its id may even belong to another by now, but not with this start time.
    writeFileSync(`${bare}.lock`, `${process.pid} 1\n`);
    writeFileSync(`${bare}.lock.takeover`, "");
    utimesSync(`${bare}.lock.takeover`, 1, 1);
    mkdirSync(join(bare, "refs", "aicr", "heads"), { recursive: true });
    writeFileSync(join(bare, "refs", "aicr", "heads", "main.lock"), "");
    writeFileSync(join(bare, "packed-refs.lock"), "");
    writeFileSync(join(bare, "objects", "pack", "tmp_pack_abc"), "half");
    const [next] = repo.commit({ files: { "a.txt": "3\n" } });
    expect((await vcs.resolve({ spec: "" })).head.canonical).toBe(next);
    expect(readdirSync(cacheDir).filter((name) => name.includes(".lock"))).toEqual([]);
    expect(readdirSync(join(bare, "objects", "pack")).join()).not.toContain("tmp_");
  });

  it("waits for a living holder of the lock no longer than its budget", async () => {
    const { vcs, cacheDir } = open();
    await vcs.resolve({ spec: "" });
    const bare = join(cacheDir, readdirSync(cacheDir).find((name) => name.endsWith(".git")) ?? "");
    const started = readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19];
    writeFileSync(`${bare}.lock`, `${process.pid} ${started}\n`);
    repo.commit({ files: { "a.txt": "4\n" } });
    expect(await reasonOf(vcs.resolve({ spec: "" }, { deadlineMs: 1500 }))).toBe("timeout");
  });

  it("is not misled by a repository that the cache lies in", async () => {
    const outer = createRepository();
    cleanups.push(outer.remove);
    outer.git("config", "url.ext::sh.insteadOf", "http://");
    outer.git("config", "protocol.allow", "always");
    const { vcs } = open({ cacheDir: join(outer.path, "data", "git") });
    expect((await vcs.resolve({ spec: "" })).head.canonical).toBe(ids[1]);
  });
});

describe("other ways to a remote", () => {
  it("reads a mirror on disk where file URLs are allowed", async () => {
    const source = { kind: "url" as const, url: `file://${repo.path}` };
    expect((await open({ source, allowFileUrls: true }).vcs.resolve({ spec: "" })).head.canonical).toBe(ids[1]);
  });

  it("speaks ssh with its own key and host list, and no configuration but its own", async () => {
    const tools = temporaryDirectory();
    cleanups.push(tools.remove);
    const log = join(tools.path, "arguments");
    // Stands for ssh: notes its arguments and runs the remote command here.
    const ssh = `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\nfor last; do :; done\nexec sh -c "$last"\n`;
    writeFileSync(join(tools.path, "ssh"), ssh, { mode: 0o755 });
    const { vcs } = open({
      source: {
        kind: "url",
        url: `ssh://git@example.com${repo.path}`,
        credentials: { sshKeyFile: "/keys/it's mine", sshKnownHostsFile: "/keys/known hosts" },
      },
      environment: { PATH: `${tools.path}:${process.env["PATH"]}` },
    });
    expect((await vcs.resolve({ spec: "" })).head.canonical).toBe(ids[1]);
    const args = readFileSync(log, "utf8").split("\n");
    expect(args).toEqual(
      expect.arrayContaining([
        "/dev/null",
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "/keys/it's mine",
        'UserKnownHostsFile="/keys/known hosts"',
        "git@example.com",
      ]),
    );
  });
});

describe("a missing git", () => {
  it("is said plainly", async () => {
    const fixture = openVcs(repo.path, {
      environment: { PATH: "/nonexistent" },
      processes: {
        run: (request) => processes.run({ ...request, argv: ["/nonexistent/git"] }),
        open: (request) => processes.open({ ...request, argv: ["/nonexistent/git"] }),
      },
      clock,
    });
    cleanups.push(fixture.remove);
    await expect(fixture.vcs.resolve({ spec: "" })).rejects.toMatchObject({ code: "config", reason: "git_missing" });
  });
});
