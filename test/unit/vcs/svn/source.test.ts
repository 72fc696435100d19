// Which URLs may be configured, what a target looks like, and which revisions are refused before svn sees them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processes } from "../../../../src/process/spawn.ts";
import { failureOf } from "../../../../src/vcs/svn/faults.ts";
import type { SvnVcsOptions } from "../../../../src/vcs/svn/options.ts";
import { parseSpec } from "../../../../src/vcs/svn/revision-syntax.ts";
import { checkSource, target } from "../../../../src/vcs/svn/source.ts";
import { createSvnVcs } from "../../../../src/vcs/svn/svn-vcs.ts";
import { clock } from "./support.ts";

function options(url: string, rest: Partial<SvnVcsOptions> = {}): SvnVcsOptions {
  return { repository: "repo", url, cacheDir: "/nowhere", processes, clock, ...rest };
}

describe("checkSource", () => {
  it.each([
    "file:///etc",
    "FILE:///etc",
    "http://example.com/svn",
    "http://169.254.169.254/x",
    "ftp://example.com/x",
    "svn+sh://example.com/x",
    "svn+ssh://-oProxyCommand=touch/x",
    "svn+ssh://-oProxyCommand=touch@host/x",
    "svn+ssh://%2doProxyCommand=touch/x",
    "svn+ssh://a%20b@host/x",
    "svn://-x/y",
    "-r1",
    "--config-option=x",
    "^/trunk",
    ".",
    "/srv/repo",
    "https://",
    "",
    "https://host/a b",
    "https://host/a\nb",
    "https://host/x?y",
    "https://host/x#y",
  ])("refuses %j", (url) => {
    expect(() => checkSource(options(url))).toThrow(/refused/);
  });

  it("takes secrets out of the URL and never repeats it", () => {
    const source = checkSource(options("https://bot:p%40ss@host:8443/svn/repo/trunk/"));
    expect(source).toEqual({
      url: "https://host:8443/svn/repo/trunk",
      protocol: "https",
      username: "bot",
      password: "p@ss",
    });
    expect(() => checkSource(options("ftp://bot:hunter2@host/x"))).toThrow(expect.not.stringContaining("hunter2"));
    expect(checkSource(options("svn+ssh://git@host/x")).url).toBe("svn+ssh://git@host/x");
    expect(checkSource(options("http://127.0.0.1:81/x")).url).toBe("http://127.0.0.1:81/x");
    expect(checkSource(options("file:///srv/r%20é", { allowFileUrls: true })).url).toBe("file:///srv/r%20%C3%A9");
  });

  it("is asked when the adapter is made", () => {
    expect(() => createSvnVcs(options("ext::sh"))).toThrow(/refused/);
  });
});

describe("target", () => {
  it("property: always one peg, and the path is what was given", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((part) => !part.includes("/")),
          { minLength: 1 },
        ),
        (parts) => {
          const made = target("https://h/r", parts.join("/"), 7);
          const match = /^https:\/\/h\/r\/([A-Za-z0-9%/!'()*~._-]*)@7$/.exec(made);
          expect(match).not.toBeNull();
          expect(decodeURIComponent(match?.[1] ?? "")).toBe(parts.join("/"));
        },
      ),
    );
  });
});

describe("parseSpec", () => {
  it("reads numbers and ranges", () => {
    expect(parseSpec(" r12 ", "repo")).toEqual({ kind: "revision", number: 12 });
    expect(parseSpec("12", "repo")).toEqual({ kind: "revision", number: 12 });
    expect(parseSpec("r100:r123", "repo")).toEqual({ kind: "range", from: 100, to: 123 });
    expect(parseSpec("", "repo")).toEqual({ kind: "newest" });
  });

  it.each([
    "HEAD",
    "-r1",
    "--config-option=servers:global:x=y",
    "{2024-01-01}",
    "r1:HEAD",
    "PREV",
    "1..2",
    "r1 r2",
    "r1;id",
    "r2:r1",
    "r1:r1",
    "r99999999999",
    "2147483648",
    "r-1",
    "r1@2",
    "٣",
    "https://host/x",
  ])("refuses %j", (spec) => {
    expect(() => parseSpec(spec, "repo")).toThrow(/is not a revision/);
  });
});

describe("failureOf", () => {
  it.each([
    ["svn: E160006: No such revision 99", "no_revision"],
    ["svn: warning: W160013: '/x' path not found\nsvn: E200009: Could not cat all targets", "no_path"],
    ["svn: warning: W195007: URL 'x' refers to a directory\nsvn: E200009: Could not", "directory"],
    ["svn: E170013: Unable to connect\nsvn: E215004: No more credentials or we tried too many times.", "auth"],
    [
      "svn: E170013: Unable to connect\nsvn: E000111: Can't connect to host '127.0.0.1': Connection refused",
      "unreachable",
    ],
    ["svn: E170013: Unable to connect\nsvn: E670002: Name or service not known", "unreachable"],
    ["svn: E170013: Unable to connect\nsvn: E230001: Server SSL certificate verification failed", "unreachable"],
    ["svn: E175013: Access to '/x' forbidden", "auth"],
    ["svn: E160004: Corrupt filesystem", "other"],
    ["svn: E205000: E160006: nonsense", "other"],
    ["", "other"],
  ])("of %j is %s", (stderr, failure) => {
    expect(failureOf(stderr)).toBe(failure);
  });
});
