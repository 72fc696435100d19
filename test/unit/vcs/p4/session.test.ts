// Logins, outages, trust, character sets and the closed environment, all at the fake server.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AppError } from "../../../../src/core/errors.ts";
import type { Vcs } from "../../../../src/ports/vcs.ts";
import { processes } from "../../../../src/process/spawn.ts";
import type { P4VcsOptions } from "../../../../src/vcs/p4/options.ts";
import { createP4Vcs } from "../../../../src/vcs/p4/p4-vcs.ts";
import type { FakeServer } from "../../../fakes/p4/depot.ts";
import { clock, reasonOf } from "../git/support.ts";
import { depot } from "./sample-depot.ts";
import { type Fixture, openFixture } from "./support.ts";

const KEY = "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD";
let fixture: Fixture;
afterEach(() => {
  const violations = fixture.commands().filter((line) => line.startsWith("VIOLATION"));
  fixture.remove();
  expect(violations).toEqual([]);
});

function at(server: FakeServer, options: Partial<P4VcsOptions> = {}): Vcs {
  fixture = openFixture(depot(server), options);
  return fixture.vcs;
}

const logins = (): number => fixture.commands().filter((line) => line === "LOGIN").length;

async function faultOf(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => {
      throw new Error("no fault");
    },
    (error: AppError) => error,
  );
}

describe("tickets", () => {
  it("E12: an expired ticket gets one login and one retry", async () => {
    const vcs = at({ password: "s3cret", ticketCalls: [2] }, { password: "s3cret" });
    await vcs.resolve({ spec: "12" });
    expect(logins()).toBe(1);
    const change = await vcs.resolve({ spec: "12" });
    expect(logins()).toBe(2);
    // Several commands at once share the session.
    const { files } = await vcs.listChanges(change);
    expect((await vcs.diff(change, files)).omitted).toEqual([]);
    expect(logins()).toBe(2);
  });

  it("E12: a second refusal after the login is an auth fault, not another login", async () => {
    const vcs = at({ password: "s3cret", ticketCalls: [0, 0, 0, 0] }, { password: "s3cret" });
    const fault = await faultOf(vcs.resolve({ spec: "12" }));
    expect(fault).toMatchObject({ code: "auth", reason: "vcs_auth", retryable: false });
    expect(logins()).toBe(1);
  });

  it("calls that fail together share one login", async () => {
    const vcs = at({ password: "s3cret" }, { password: "s3cret" });
    await Promise.all([12, 20, 21].map((number) => vcs.resolve({ spec: String(number) })));
    expect(logins()).toBe(1);
  });

  it("a wrong or missing password is the operator's to mend", async () => {
    const wrong = await faultOf(at({ password: "s3cret" }, { password: "guess" }).resolve({ spec: "12" }));
    expect(wrong).toMatchObject({ code: "auth", retryable: false, remedy: expect.stringContaining("operator") });
    expect(JSON.stringify([wrong.message, wrong.remedy, wrong.detail, wrong.params])).not.toContain("guess");
    expect(await reasonOf(fixture.open({}).check())).toBe("vcs_auth");
    expect(logins()).toBe(0);
  });

  it("uses a tickets file that somebody else keeps, and never writes it", async () => {
    at({ password: "s3cret" });
    const ticketsFile = `${fixture.cacheDir}-tickets`;
    writeFileSync(ticketsFile, "127.0.0.1:1666=bot:T0\n");
    expect((await fixture.open({ ticketsFile }).resolve({ spec: "12" })).head.canonical).toBe("12");
    writeFileSync(ticketsFile, "");
    expect(await reasonOf(fixture.open({ ticketsFile }).check())).toBe("vcs_auth");
    expect(readFileSync(ticketsFile, "utf8")).toBe("");
  });

  it("the password is in no argument, no file and no fault", async () => {
    const vcs = at({ password: "s3cret-word" }, { password: "s3cret-word" });
    await vcs.check();
    expect(fixture.commands().join("\n")).not.toContain("s3cret-word");
    const home = join(`${fixture.cacheDir}-0`, "p4");
    const written = readdirSync(home).map((name) => readFileSync(join(home, name), "utf8"));
    expect(written.join("\n")).not.toContain("s3cret-word");
  });
});

describe("outages", () => {
  it.each(["refused", "silent", "mute"] as const)(
    "E6 (p4): a server that is %s is a failure of every call, never an empty answer",
    async (outage) => {
      const vcs = at({});
      const change = await vcs.resolve({ spec: "12" });
      const { files } = await vcs.listChanges(change);
      const { next } = await vcs.poll(null, 10);
      fixture.serve(depot({ outage }));
      const options = {
        side: "new" as const,
        directory: `${fixture.cacheDir}-out`,
        files,
        maxFileBytes: 99,
        maxTotalBytes: 999,
      };
      for (const call of [
        () => vcs.resolve({ spec: "12" }),
        () => vcs.resolve({ spec: "" }),
        () => vcs.listChanges(change),
        () => vcs.listChanges({ ...change, baseReason: "last_reviewed" }),
        () => vcs.diff(change, files),
        () => vcs.materialise(change, options),
        () => vcs.fetchExtraContext({ revision: "12", path: "src/a b.c" }),
        () => vcs.fetchAttribution({ revision: "12", path: "src/a b.c" }),
        () => vcs.poll(next, 10),
        () => vcs.check(),
        () => fixture.open().check(),
      ]) {
        expect(await faultOf(call())).toMatchObject({
          code: "unavailable",
          reason: "vcs_unreachable",
          retryable: true,
        });
      }
      if (outage !== "mute") {
        expect((await faultOf(vcs.check())).detail).toContain("Connect to server failed");
      }
      fixture.serve(depot());
      expect((await vcs.listChanges(change)).files.length).toBe(files.length);
    },
  );

  it("E6 (p4): an outage between the listing and the contents leaves no half diff", async () => {
    const vcs = at({});
    const change = await vcs.resolve({ spec: "12" });
    const { files } = await vcs.listChanges(change);
    fixture.serve(depot({ outage: "silent", outageAfter: fixture.commands().length + 3 }));
    expect(await reasonOf(vcs.diff(change, files))).toBe("vcs_unreachable");
    expect(readdirSync(join(`${fixture.cacheDir}-0`, "p4")).filter((name) => name.startsWith("read-"))).toEqual([]);
  });

  it("what a killed process left behind is removed a day later", async () => {
    const vcs = at({});
    const home = join(`${fixture.cacheDir}-0`, "p4");
    const [old, fresh] = [join(home, "read-old"), join(home, "read-fresh")];
    mkdirSync(old, { recursive: true });
    mkdirSync(fresh);
    const yesterday = (Date.now() - 25 * 3_600_000) / 1000;
    utimesSync(old, yesterday, yesterday);
    await vcs.check();
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  });

  it("a server that does not answer is stopped at the deadline", async () => {
    const vcs = at({ hangs: true });
    expect(await faultOf(vcs.check({ deadlineMs: 700 }))).toMatchObject({ code: "timeout", retryable: true });
  });

  it("a request that the server finds too large is too large", async () => {
    const fault = await faultOf(at({ tooLarge: true }).resolve({ spec: "12" }));
    expect(fault).toMatchObject({ code: "too_large", retryable: false });
  });
});

describe("trust and character sets", () => {
  it("trusts the configured fingerprint and no other, and never what a server shows", async () => {
    const port = "ssl:127.0.0.1:1666";
    expect(await faultOf(at({ fingerprint: KEY }, { port }).check())).toMatchObject({
      code: "config",
      reason: "p4_untrusted",
      retryable: false,
    });
    expect((await fixture.open({ trustFingerprint: KEY.toLowerCase() }).check()).head?.canonical).toBe("21");
    const other = KEY.replace("AA", "00");
    expect(await reasonOf(fixture.open({ trustFingerprint: other }).check())).toBe("p4_untrusted");
  });

  it("a wrong character set is a matter of configuration, both ways", async () => {
    expect(await faultOf(at({ unicode: true }).check())).toMatchObject({ code: "config", reason: "p4_charset" });
    expect((await fixture.open({ charset: "utf8" }).check()).head?.canonical).toBe("21");
    fixture.serve(depot());
    expect(await reasonOf(fixture.open({ charset: "utf8" }).check())).toBe("p4_charset");
  });

  it("says that p4 is missing", async () => {
    const vcs = at({});
    void vcs;
    const missing = fixture.open({ environment: { PATH: "/nonexistent" } });
    expect(await faultOf(missing.check())).toMatchObject({ code: "config", reason: "p4_missing" });
  });
});

describe("settings", () => {
  it.each<[string, Partial<P4VcsOptions>]>([
    ["a port that starts a program", { port: "rsh:/bin/sh -c id" }],
    ["an option for a port", { port: "-p" }],
    ["a port with a space", { port: "host:1666 -x" }],
    ["an option for a user", { user: "-x" }],
    ["a user with a wildcard", { user: "a*" }],
    ["a path without the dots", { depotPath: "//depot/game" }],
    ["the whole server", { depotPath: "//..." }],
    ["a path with a revision", { depotPath: "//depot/game@12/..." }],
    ["a local path", { depotPath: "/depot/..." }],
    ["a short fingerprint", { trustFingerprint: "AA:BB", port: "ssl:h:1" }],
    ["a fingerprint without ssl", { trustFingerprint: KEY }],
    ["a relative tickets file", { ticketsFile: "tickets" }],
    ["an odd charset", { charset: "utf8;id" }],
  ])("14: refuses %s before anything runs", (_, options) => {
    at({});
    const settings = {
      repository: "game",
      port: "127.0.0.1:1666",
      user: "bot",
      depotPath: "//depot/game/...",
      cacheDir: `${fixture.cacheDir}-none`,
      processes,
      clock,
      ...options,
    };
    expect(() => createP4Vcs(settings)).toThrow(expect.objectContaining({ code: "config", reason: "bad_source" }));
    expect(existsSync(settings.cacheDir)).toBe(false);
  });

  it("E12: the submitter's client and the machine's settings are never used", async () => {
    // The fixture offers P4CLIENT=ann-ws, P4PASSWD and more; the fake refuses all of them, see afterEach.
    const vcs = at({});
    const change = await vcs.resolve({ spec: "12" });
    await vcs.diff(change, (await vcs.listChanges(change)).files);
    expect(fixture.commands().join("\n")).not.toMatch(/ann-ws|\t-c\t[a-z]/);
  });
});
