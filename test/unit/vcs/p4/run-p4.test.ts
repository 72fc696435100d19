// Running p4: who logs in when calls overlap, and what each kind of answer means; programs are scripted.
import { describe, expect, it } from "vitest";
import type { Processes, ProcessRequest, ProcessResult } from "../../../../src/process/spawn.ts";
import { createBudget } from "../../../../src/vcs/git/run-git.ts";
import { createP4, type P4Run } from "../../../../src/vcs/p4/run-p4.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { reasonOf } from "../git/support.ts";

const EXPIRED = '{"data":"Your session has expired, please login again.\\n","generic":4,"severity":3}\n';
const RECORD = '{"change":"12","user":"ann"}\n';
const budget = createBudget(createFakeClock(), undefined, 1000);

function exited(stdout: string, code = 0, stderr = ""): ProcessResult {
  return { reason: "exited", code, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}

/** p4 over an answering function; every program start is recorded. */
function scripted(answer: (request: ProcessRequest) => Promise<ProcessResult> | ProcessResult, password?: string) {
  const started: ProcessRequest[] = [];
  const processes: Processes = {
    async run(request) {
      started.push(request);
      return answer(request);
    },
    open() {
      throw new Error("nothing is opened here");
    },
  };
  const environment = { home: "/nowhere", env: { PATH: "/bin" } };
  const p4 = createP4(processes, environment, password === undefined ? {} : { password }, { repository: "game" });
  const logins = () => started.filter(({ argv }) => argv[1] === "login");
  return { p4, started, logins };
}

const ask = (result: ProcessResult, run: Partial<P4Run> = {}) =>
  scripted(() => result).p4.records(["describe", "-s", "12"], { budget, ...run });

describe("login", () => {
  it("E12: a call that fails after another one has logged in tries again without a login of its own", async () => {
    let isLoggedIn = false;
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { p4, logins } = scripted(async ({ argv }) => {
      if (argv[1] === "login") {
        isLoggedIn = true;
        return exited("User bot logged in.\n");
      }
      const result = isLoggedIn ? exited(RECORD) : exited(EXPIRED, 1);
      if (!isLoggedIn && argv.includes("slow")) await slow;
      return result;
    }, "s3cret");
    const late = p4.records(["slow"], { budget });
    expect((await p4.records(["quick"], { budget })).records).toHaveLength(1);
    release();
    expect((await late).records).toHaveLength(1);
    expect(logins()).toHaveLength(1);
    expect(logins()[0]).toMatchObject({ argv: ["p4", "login"], stdin: "s3cret\n" });
  });

  it("an outage while logging in is an outage, whatever else the server says is the operator's", async () => {
    const failing = (code: number, stderr: string) =>
      scripted(({ argv }) => (argv[1] === "login" ? exited("", code, stderr) : exited(EXPIRED, 1)), "s3cret").p4;
    const connection = "Perforce client error:\n\tConnect to server failed; check $P4PORT.\n";
    expect(await reasonOf(failing(1, connection).records(["info"], { budget }))).toBe("vcs_unreachable");
    expect(await reasonOf(failing(1, "Password invalid.\n").records(["info"], { budget }))).toBe("vcs_auth");
    expect(await reasonOf(failing(1, "Your account is locked.\n").records(["info"], { budget }))).toBe("vcs_auth");
  });

  it("without a password nothing is tried", async () => {
    const { p4, started } = scripted(() => exited(EXPIRED, 1));
    expect(await reasonOf(p4.records(["info"], { budget }))).toBe("vcs_auth");
    expect(started).toHaveLength(1);
  });
});

describe("answers", () => {
  it("a warning with exit code 0 is a fault, or expected trouble", async () => {
    const missing = exited('{"data":"12 - no such changelist.\\n","generic":17,"severity":2}\n');
    expect(await reasonOf(ask(missing))).toBe("unknown_revision");
    expect(await ask(missing, { expected: ["missing"] })).toEqual({ records: [], troubles: ["missing"] });
  });

  it("an unknown warning beside records is a remark; alone it is no answer", async () => {
    const remark = '{"data":"By the way.\\n","generic":17,"severity":2}\n';
    expect(await ask(exited(RECORD + remark))).toMatchObject({ records: [{ change: "12" }], troubles: [] });
    expect(await reasonOf(ask(exited(remark)))).toBe("vcs_corrupt");
    expect(await ask(exited(remark), { expected: ["remark"] })).toEqual({ records: [], troubles: ["remark"] });
  });

  it("records that came with a failure are not used", async () => {
    const failed = `${RECORD}{"data":"Request too large (over 10); see 'p4 help maxresults'.\\n","generic":35,"severity":3}\n`;
    expect(await reasonOf(ask(exited(failed, 1)))).toBe("too_large");
    expect(await reasonOf(ask(exited(failed, 0)))).toBe("too_large");
    expect(await reasonOf(ask(exited(RECORD, 1)))).toBe("vcs_unreachable");
  });

  it("a torn answer is damaged, an endless one too large, a killed p4 no success", async () => {
    expect(await reasonOf(ask(exited(RECORD.slice(0, -1))))).toBe("vcs_corrupt");
    const none = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    expect(await reasonOf(ask({ reason: "output_exceeded", ...none }))).toBe("too_large");
    expect(await reasonOf(ask({ reason: "timeout", ...none }))).toBe("timeout");
    expect(await reasonOf(ask({ reason: "cancelled", ...none }))).toBe("cancelled");
    expect(await reasonOf(ask({ reason: "spawn_failed", message: "ENOENT", ...none }))).toBe("p4_missing");
    expect(await reasonOf(ask({ reason: "exited", code: null, ...none }))).toBe("vcs_unreachable");
  });
});
