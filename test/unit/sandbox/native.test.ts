// The native sandbox: the port's outcomes, with real processes.
import { describe, expect, it } from "vitest";
import type { SandboxCommand } from "../../../src/ports/sandbox.ts";
import { processes } from "../../../src/process/spawn.ts";
import { createNativeSandbox } from "../../../src/sandbox/native.ts";

const sandbox = createNativeSandbox({ processes });

function command(code: string, rest: Partial<SandboxCommand> = {}): SandboxCommand {
  return {
    argv: [process.execPath, "-e", code],
    cwd: "/",
    env: {},
    deadlineMs: 20_000,
    maxOutputBytes: 10_000,
    ...rest,
  };
}

describe("the native sandbox", () => {
  it("gives output, code and what was streamed", async () => {
    const seen: string[] = [];
    const exit = await sandbox.run(
      command("process.stdin.on('data', (d) => console.log('got ' + d)); process.exitCode = 4", {
        stdin: "x",
        onStdout: (chunk) => seen.push(chunk.toString()),
      }),
      new AbortController().signal,
    );
    expect(exit).toMatchObject({ reason: "exited", code: 4 });
    expect(exit.stdout.toString()).toBe("got x\n");
    expect(seen.join("")).toBe("got x\n");
  });

  it("caps output and reports it", async () => {
    const exit = await sandbox.run(command("console.log('x'.repeat(50000))"), new AbortController().signal);
    expect(exit).toMatchObject({ reason: "output_exceeded", code: null });
    expect(exit.stdout.length).toBe(10_000);
  });

  it("reports a missing program, a timeout and a cancellation", async () => {
    const missing = await sandbox.run(command("", { argv: ["/no/such/agent"] }), new AbortController().signal);
    expect(missing.reason).toBe("spawn_failed");
    expect(missing.stderr.toString()).toContain("ENOENT");
    const late = await sandbox.run(
      command("setInterval(() => {}, 1000)", { deadlineMs: 200 }),
      new AbortController().signal,
    );
    expect(late.reason).toBe("timeout");
    const cancelled = await sandbox.run(command("setInterval(() => {}, 1000)"), AbortSignal.timeout(200));
    expect(cancelled.reason).toBe("cancelled");
  });
});
