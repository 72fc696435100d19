// The adapter against svnserve with a password, and against servers that are down, slow or restrictive.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createSvnRepository, restrict, serveSvn } from "../../../fakes/svn-repository.ts";
import { describeWithPeer } from "../../../peers.ts";
import { cleanUp, later, listed, openSvn, reasonOf, trunk } from "./support.ts";

afterAll(cleanUp);

const PASSWORD = "s3cret päss";

async function served() {
  const repo = createSvnRepository();
  later(repo.remove);
  repo.commit([
    ["mkdir", "trunk"],
    ["mkdir", "trunk/secret"],
  ]);
  repo.commit([["put", "trunk/a@b.c", "one\n"]], { author: "grace", message: "Adds a\n\nand <says> why & how" });
  repo.commit([
    ["put", "trunk/secret/s.c", "hidden\n"],
    ["put", "trunk/b.c", "b\n"],
  ]);
  const server = await serveSvn(repo, PASSWORD);
  later(server.stop);
  return { repo, server };
}

describeWithPeer("svn", "a server with a password", () => {
  it("reads with the password, which is in no argument, no environment and no file", async () => {
    const { server } = await served();
    const url = `${server.url}/trunk`;
    const { vcs, started, cacheDir } = openSvn(url, { username: "bot", password: PASSWORD });
    const change = await vcs.resolve({ spec: "r2" });
    expect(change.head).toMatchObject({
      display: "r2",
      author: "grace",
      message: "Adds a\n\nand <says> why & how",
      parents: ["1"],
      flags: [],
    });
    expect(change).toMatchObject({
      baseReason: "own_delta",
      ref: "svn",
      isDefaultBranch: true,
      base: { canonical: "1" },
    });
    expect(await listed(vcs, "r2")).toEqual(["add a@b.c"]);
    expect(await vcs.fetchAttribution({ revision: "2", path: "a@b.c" })).toMatchObject({
      status: "ok",
      entries: [{ line: 1, revision: "2", author: "grace" }],
    });
    expect(await vcs.check()).toMatchObject({ head: { display: "r3" }, defaultBranch: "trunk" });
    const seen = JSON.stringify(started.map(({ argv, env }) => [argv, env]));
    expect(seen).not.toContain("s3cret");
    const kept = readdirSync(cacheDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of kept) {
      expect(readFileSync(join(parentPath, name), "latin1")).not.toContain("s3cret");
    }

    for (const password of ["wrong", undefined]) {
      const refused = openSvn(url, { username: "bot", ...(password !== undefined && { password }) }).vcs;
      await expect(refused.resolve({ spec: "" })).rejects.toMatchObject({ code: "auth", reason: "vcs_auth" });
    }
  });

  it("reads a folder of which alone the server lets it see something", async () => {
    const { repo, server } = await served();
    restrict(repo, "[/]\nbot =\n[/trunk]\nbot = r\n[/trunk/secret]\nbot =\n");
    const { vcs } = openSvn(`${server.url}/trunk`, { username: "bot", password: PASSWORD });
    expect(await listed(vcs, "r3")).toEqual(["add b.c"]);
    expect(await listed(vcs, "r2")).toEqual(["add a@b.c"]);
    expect((await vcs.poll(null, 10)).events).toEqual([]);
    await expect(vcs.fetchExtraContext({ revision: "3", path: "secret/s.c" })).rejects.toMatchObject({ code: "auth" });
  });

  it("E6 (svn): a server that is down is a failure that is retried, never an empty change", async () => {
    const { server } = await served();
    const { vcs } = openSvn(`${server.url}/trunk`, { username: "bot", password: PASSWORD });
    const change = await vcs.resolve({ spec: "r3" });
    const { next } = await vcs.poll(null, 10);
    server.stop();
    const down = { code: "unavailable", reason: "vcs_unreachable", retryable: true };
    const files = [
      {
        kind: "add" as const,
        path: "b.c",
        rawPath: "b.c",
        isBinary: false,
        isSymlink: false,
        isSubmodule: false,
        isLfs: false,
        isGenerated: false,
      },
    ];
    await expect(vcs.listChanges(change)).rejects.toMatchObject(down);
    await expect(vcs.diff(change, files)).rejects.toMatchObject(down);
    await expect(vcs.resolve({ spec: "" })).rejects.toMatchObject(down);
    await expect(vcs.poll(next, 10)).rejects.toMatchObject(down);
    await expect(vcs.fetchExtraContext({ revision: "3", path: "b.c" })).rejects.toMatchObject(down);
    await expect(vcs.fetchAttribution({ revision: "3", path: "b.c" })).rejects.toMatchObject(down);
    await expect(vcs.check()).rejects.toMatchObject(down);
  });

  it("E6 (svn): a repository that lost its disk, or a part of it, is a failure too", async () => {
    const { vcs, repo } = trunk([[["put", "trunk/a.c", "1\n"]], [["put", "trunk/a.c", "2\n"]]]);
    const change = await vcs.resolve({ spec: "r3" });
    const revisions = `${repo.path}/db/revs/0`;
    rmSync(`${revisions}/3`);
    await expect(vcs.listChanges(change)).rejects.toMatchObject({ name: "AppError" });
    renameSync(repo.path, `${repo.path}-away`);
    await expect(vcs.listChanges(change)).rejects.toMatchObject({ code: "unavailable" });
    renameSync(`${repo.path}-away`, repo.path);
  });

  it("a server that never answers is killed at the deadline and leaves nothing behind", async () => {
    const silent = await listening();
    const { vcs, cacheDir } = openSvn(`svn://127.0.0.1:${silent.port}/x`);
    const before = performance.now();
    expect(await reasonOf(vcs.resolve({ spec: "r1" }, { deadlineMs: 300 }))).toBe("timeout");
    expect(performance.now() - before).toBeLessThan(5000);
    const signal = AbortSignal.abort();
    expect(await reasonOf(vcs.resolve({ spec: "r1" }, { signal }))).toBe("cancelled");
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(cacheDir);
  });

  it("a missing program is a mistake of the configuration", async () => {
    const { vcs } = openSvn("svn://127.0.0.1/x", { environment: { PATH: "/nonexistent" } });
    expect(await reasonOf(vcs.check())).toBe("svn_missing");
  });

  it("a folder that is not there is no repository", async () => {
    const { repo } = trunk([[["put", "trunk/a.c", "1\n"]]]);
    expect(await reasonOf(openSvn(`${repo.url}/nope`).vcs.check())).toBe("not_a_repository");
    expect(await reasonOf(openSvn(`${repo.url}/trunk/a.c`).vcs.check())).toBe("not_a_repository");
  });

  it("obeys no configuration of the account and writes no password", async () => {
    const { vcs, cacheDir, started } = trunk([[["put", "trunk/a.c", "1\n"]]]);
    await listed(vcs, "");
    for (const { argv } of started.filter(({ argv: [program] }) => program === "svn")) {
      expect(argv).toEqual(expect.arrayContaining(["--non-interactive", "--no-auth-cache", "--config-dir", "--"]));
    }
    const auth = `${cacheDir}/svn/configuration/auth/svn.simple`;
    expect(existsSync(auth) ? readdirSync(auth) : []).toEqual([]);
  });
});

async function listening(): Promise<{ readonly port: number }> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  later(() => server.close());
  server.on("connection", (socket) => later(() => socket.destroy()));
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0 };
}
