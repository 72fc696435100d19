// The spawn wrapper against real processes: limits hold, and nothing that was started stays behind.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openProcess, type ProcessRequest, runProcess } from "../../../src/process/spawn.ts";

const node = process.execPath;

function script(code: string, rest: Partial<ProcessRequest> = {}): ProcessRequest {
  return {
    argv: [node, "-e", code],
    cwd: "/",
    env: {},
    deadlineMs: 20_000,
    maxStdoutBytes: 1 << 20,
    maxStderrBytes: 1 << 16,
    ...rest,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie waits for its parent and holds nothing.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** A script that starts a detached (setsid) grandchild holding our stdout, prints its pid, and then does `rest`. */
const withSetsidChild = (rest: string): string => `
  const { spawn } = require("node:child_process");
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('up')"],
    { detached: true, stdio: ["ignore", "inherit", "inherit"] });
  console.log(child.pid); ${rest}`;

describe("runProcess", () => {
  it("gives output and exit code", async () => {
    const result = await runProcess(script("console.log('out'); console.error('err'); process.exitCode = 3"));
    expect(result).toMatchObject({ reason: "exited", code: 3 });
    expect(result.stdout.toString()).toBe("out\n");
    expect(result.stderr.toString()).toBe("err\n");
  });

  it("starts nothing once its budget is used up", async () => {
    const result = await runProcess({ ...script("", { deadlineMs: 0 }), argv: ["/no/such/program"] });
    expect(result.reason).toBe("timeout");
  });

  it("passes arguments as they are, without a shell", async () => {
    const argument = "$(touch x); `id` && * \n 'q\"";
    const result = await runProcess({
      ...script(""),
      argv: [node, "-e", "process.stdout.write(process.argv[1])", argument],
    });
    expect(result.stdout.toString()).toBe(argument);
  });

  it("E20: inherits nothing of our environment but the run token", async () => {
    const result = await runProcess(script("console.log(Object.keys(process.env).sort().join())", { env: { A: "1" } }));
    expect(result.stdout.toString()).toBe("A,AICR_RUN_TOKEN\n");
  });

  it("says that a program is missing", async () => {
    const result = await runProcess({ ...script(""), argv: ["/no/such/program"] });
    expect(result).toMatchObject({ reason: "spawn_failed", message: expect.stringContaining("ENOENT") });
  });

  it.each([
    ["an argument with a NUL", [node, "a\0b"] as const],
    ["too long a list of arguments", [node, ...Array<string>(40).fill("x".repeat(100_000))] as const],
  ])("does not throw for %s", async (_, argv) => {
    expect((await runProcess({ ...script(""), argv })).reason).toBe("spawn_failed");
    const open = openProcess({ ...script(""), argv });
    open.stdin.write("x");
    expect((await open.ended).reason).toBe("spawn_failed");
    for await (const chunk of open.stdout) expect.unreachable(String(chunk));
    await open.kill();
  });

  it("E21: a timeout kills descendants that called setsid, and resolves although they hold stdout", async () => {
    const started = performance.now();
    const result = await runProcess(script(withSetsidChild("setInterval(() => {}, 1000)"), { deadlineMs: 1500 }));
    expect(result.reason).toBe("timeout");
    expect(performance.now() - started).toBeLessThan(6000);
    const pid = Number(result.stdout.toString().split("\n")[0]);
    expect(pid).toBeGreaterThan(1);
    expect(isAlive(pid)).toBe(false);
  });

  it("kills what holds stdout after the program's own exit, and keeps the exit code", async () => {
    const result = await runProcess(script(withSetsidChild("child.unref(); process.exitCode = 5")));
    expect(result).toMatchObject({ reason: "exited", code: 5 });
    expect(isAlive(Number(result.stdout.toString().split("\n")[0]))).toBe(false);
  });

  it("leaves quiet descendants alone unless told to kill leftovers", async () => {
    const code = withSetsidChild("child.unref()").replace('["ignore", "inherit", "inherit"]', '"ignore"');
    const kept = await runProcess(script(code));
    const pid = Number(kept.stdout.toString());
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
    const killed = await runProcess(script(code, { leftovers: "kill" }));
    expect(isAlive(Number(killed.stdout.toString()))).toBe(false);
  });

  it("asks politely first when there is a grace, then kills", async () => {
    const polite = "process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); setInterval(() => {}, 1000)";
    const result = await runProcess(script(polite, { deadlineMs: 800, graceMs: 10_000 }));
    expect(result.reason).toBe("timeout");
    expect(result.stdout.toString()).toBe("bye\n");
    const deaf = "process.on('SIGTERM', () => console.log('no')); setInterval(() => {}, 1000)";
    const killed = await runProcess(script(deaf, { deadlineMs: 800, graceMs: 300 }));
    expect(killed.reason).toBe("timeout");
    expect(killed.stdout.toString()).toBe("no\n");
  });

  it("stops a flood at the cap and keeps exactly so much", async () => {
    const flood = "const b = Buffer.alloc(65536, 120); const w = () => process.stdout.write(b, w); w()";
    const result = await runProcess(script(flood, { maxStdoutBytes: 100_000 }));
    expect(result.reason).toBe("output_exceeded");
    expect(result.stdout.length).toBe(100_000);
  });

  it("keeps the end of a long stderr", async () => {
    const code = "process.stderr.write('x'.repeat(300000) + 'the end')";
    const result = await runProcess(script(code, { maxStderrBytes: 1000 }));
    expect(result.reason).toBe("exited");
    expect(result.stderr.length).toBe(1000);
    expect(result.stderr.toString().endsWith("the end")).toBe(true);
  });

  it("is cancelled by its signal, before and while it runs", async () => {
    const already = await runProcess(script("", { signal: AbortSignal.abort() }));
    expect(already.reason).toBe("cancelled");
    const controller = new AbortController();
    const result = await runProcess(
      script("console.log('up'); setInterval(() => {}, 1000)", {
        signal: controller.signal,
        onStdout: () => controller.abort(),
      }),
    );
    expect(result).toMatchObject({ reason: "cancelled" });
  });

  it("feeds a huge stdin and reads all of the answer", async () => {
    const stdin = Buffer.alloc(20 << 20, "0123456789abcdef");
    const result = await runProcess(script("process.stdin.pipe(process.stdout)", { stdin, maxStdoutBytes: 64 << 20 }));
    expect(result.reason).toBe("exited");
    expect(result.stdout.equals(stdin)).toBe(true);
  });

  it("survives a program that ends without reading its stdin", async () => {
    const result = await runProcess(script("process.exit(0)", { stdin: Buffer.alloc(8 << 20) }));
    expect(result).toMatchObject({ reason: "exited", code: 0 });
  });
});

describe("openProcess", () => {
  it("speaks with a program until it is killed", async () => {
    const echo = openProcess(script("process.stdin.pipe(process.stdout)"));
    echo.stdin.write("hello");
    const answer = await new Promise<string>((resolve) => {
      echo.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    });
    expect(answer).toBe("hello");
    await echo.kill();
    expect((await echo.ended).reason).toBe("cancelled");
    await echo.kill();
  });

  it("ends by itself when its stdin is closed", async () => {
    const echo = openProcess(script("process.stdin.pipe(process.stdout)"));
    echo.stdin.end("bye");
    let text = "";
    for await (const chunk of echo.stdout) text += String(chunk);
    expect(text).toBe("bye");
    expect(await echo.ended).toMatchObject({ reason: "exited", code: 0 });
  });

  it("holds its deadline", async () => {
    const idle = openProcess(script("setInterval(() => {}, 1000)", { deadlineMs: 300 }));
    expect((await idle.ended).reason).toBe("timeout");
  });
});
