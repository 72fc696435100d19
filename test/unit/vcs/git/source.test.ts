// Which sources may be configured, and that what is secret in them stays out of sight.
import { describe, expect, it } from "vitest";
import { processes } from "../../../../src/process/spawn.ts";
import type { GitVcsOptions } from "../../../../src/vcs/git/options.ts";
import { remoteFault } from "../../../../src/vcs/git/remote.ts";
import { checkSource } from "../../../../src/vcs/git/source.ts";
import { clock } from "./support.ts";

function check(url: string, rest: Partial<GitVcsOptions> = {}) {
  return checkSource({
    repository: "repo",
    source: { kind: "url", url },
    cacheDir: "/nowhere",
    processes,
    clock,
    ...rest,
  });
}

describe("checkSource", () => {
  it.each([
    "ext::sh -c 'touch x'",
    "ext::sh",
    "EXT::sh",
    "fd::3",
    "file:///etc",
    "FILE:///etc",
    "git://example.com/x",
    "ftp://example.com/x",
    "http://example.com/x.git",
    "http://169.254.169.254/x",
    "http://2130706433.example/x",
    "ssh://-oProxyCommand=touch/x",
    "ssh://-oProxyCommand=x@host/x",
    "-oProxyCommand=x:path",
    "--upload-pack=touch",
    "/srv/repo.git",
    "https://",
    "",
    "https://host/a b",
  ])("14: refuses %j", (url) => {
    expect(() => check(url)).toThrow(expect.objectContaining({ code: "config", reason: "bad_source" }));
  });

  it("takes https, ssh in both spellings, http on loopback, and files where allowed", () => {
    expect(check("https://host/team/repo.git")).toMatchObject({
      protocol: "https",
      web: { host: "host", path: "team/repo" },
    });
    expect(check("git@host.example:team/repo.git")).toMatchObject({
      url: "git@host.example:team/repo.git",
      protocol: "ssh",
      web: { host: "host.example", path: "team/repo" },
    });
    expect(check("ssh://git@host:2222/team/repo")).toMatchObject({ protocol: "ssh", web: { host: "host" } });
    expect(check("http://127.0.0.1:8080/x")).toMatchObject({ protocol: "http" });
    expect(check("http://[::1]:8080/x")).toMatchObject({ protocol: "http" });
    expect(check("file:///srv/x.git", { allowFileUrls: true })).toMatchObject({ protocol: "file", web: null });
  });

  it("takes user and password out of the URL, and keys the cache by them", () => {
    const source = check("https://me:s3cret%2F@host/repo.git");
    expect(source).toMatchObject({
      url: "https://host/repo.git",
      credentials: { username: "me", password: "s3cret/" },
    });
    expect(source.cacheKey).not.toBe(check("https://me:other@host/repo.git").cacheKey);
    expect(source.cacheKey).not.toBe(check("https://host/repo.git").cacheKey);
  });
});

describe("remoteFault", () => {
  const source = check("https://me:hunter2@host/repo.git");
  if (source.kind !== "url") throw new Error("a URL was given");
  const fault = (stderr: string) => remoteFault(stderr, source, { repository: "repo" });

  it.each([
    ["fatal: Authentication failed for 'https://host/repo.git/'", "vcs_auth"],
    ["git@host: Permission denied (publickey).", "vcs_auth"],
    ["fatal: unable to access 'https://host/': The requested URL returned error: 403", "vcs_auth"],
    ["Host key verification failed.", "vcs_auth"],
    ["fatal: unable to access 'https://host/': Could not resolve host: host", "vcs_unreachable"],
    ["fatal: unable to access 'https://host/': Failed to connect to host port 443: Connection timed out", "timeout"],
    ["fatal: repository 'https://host/repo.git/' not found", "not_a_repository"],
    ["something nobody has seen before", "vcs_unreachable"],
  ])("E6: %s is %s, never an empty change", (stderr, reason) => {
    expect(fault(stderr)).toMatchObject({ reason });
  });

  it("keeps passwords out of the detail", () => {
    const detail = JSON.stringify(fault("fatal: https://me:hunter2@host/repo.git: hunter2 is wrong"));
    expect(detail).not.toContain("hunter2");
  });
});
