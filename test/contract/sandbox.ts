// The suite that every sandbox passes; what a backend does not claim in its capabilities is not asked of it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPaths } from "../../src/agents/workspace.ts";
import type { Sandbox, SandboxCommand, SandboxExit, SandboxView } from "../../src/ports/sandbox.ts";

const never = new AbortController().signal;
/** Two processes start in what a loaded machine calls a moment. */
const START_MS = 5_000;

/** @param only `limits`: what depends on who bounds memory and processes. */
export function sandboxContract(title: string, open: () => Promise<Sandbox>, only?: "limits"): void {
  describe(title, () => {
    let root: string;
    let sandbox: Sandbox;
    let view: SandboxView;
    let model: Server;

    beforeAll(async () => {
      sandbox = await open();
      root = mkdtempSync(join(tmpdir(), "aicr-contract-"));
      const paths = runPaths(root, "rv_1", 1);
      for (const folder of [paths.source, paths.base, paths.agent, paths.tmp]) mkdirSync(folder, { recursive: true });
      writeFileSync(join(paths.source, "a.txt"), "new side");
      writeFileSync(paths.change, "{}");
      const socket = join(root, "socket", "m");
      mkdirSync(join(root, "socket"), { mode: 0o700 });
      model = createServer((request, response) => response.end(`model saw ${request.url}`));
      await new Promise<void>((resolve) => model.listen(socket, resolve));
      view = sandbox.view({ paths, resolver: socket, modelSocket: socket, programs: [process.execPath] });
    });
    afterAll(async () => {
      await new Promise<void>((resolve) => model.close(() => resolve()));
      rmSync(root, { recursive: true, force: true });
    });

    function run(code: string, rest: Partial<SandboxCommand> = {}, signal = never): Promise<SandboxExit> {
      return sandbox.run(
        {
          argv: [process.execPath, "-e", code],
          cwd: view.paths.agent,
          env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: view.paths.tmp },
          deadlineMs: 40_000,
          maxOutputBytes: 100_000,
          limits: { memoryBytes: 300 * 1024 * 1024, processes: 100 },
          view,
          ...rest,
        },
        signal,
      );
    }
    const text = (exit: SandboxExit): string => exit.stdout.toString("utf8");

    it("bounds memory", async () => {
      const exit = await run("const kept = []; for (;;) kept.push(Buffer.alloc(8e6, kept.length))");
      expect(exit.reason).toBe("memory_exceeded");
    });

    it("bounds processes", async () => {
      const exit = await run(
        `const { spawn } = require("child_process"); let failed = 0, started = 0;
         for (let i = 0; i < 150; i++) {
           const c = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
           c.on("error", () => failed++); c.on("spawn", () => started++);
         }
         setTimeout(() => { console.log(started); process.exit(failed > 0 ? 7 : 0) }, 3000)`,
      );
      if (exit.reason === "exited") expect(exit.code).toBe(7);
      else expect(exit.reason).toBe("processes_exceeded");
    });

    if (only === "limits") return;

    it("gives output, code, what stdin brought, and what was streamed", async () => {
      const seen: string[] = [];
      const exit = await run("process.stdin.on('data', (d) => console.log('got ' + d)); process.exitCode = 4", {
        stdin: "words",
        onStdout: (chunk) => seen.push(chunk.toString("utf8")),
      });
      expect(exit).toMatchObject({ reason: "exited", code: 4 });
      expect([text(exit), seen.join("")]).toEqual(["got words\n", "got words\n"]);
    });

    it("shows the run directory at the places that the view names, with an empty stdin", async () => {
      const { paths } = view;
      const exit = await run(
        `const fs = require("fs"); fs.writeFileSync("made", "by the agent");
         fs.writeFileSync(${JSON.stringify(`${paths.tmp}/made`)}, "x");
         console.log(process.cwd(), fs.readFileSync(${JSON.stringify(`${paths.source}/a.txt`)}, "utf8"),
           fs.readFileSync(${JSON.stringify(paths.change)}, "utf8"), fs.readFileSync(0).length)`,
      );
      expect(text(exit)).toBe(`${paths.agent} new side {} 0\n`);
      const host = runPaths(root, "rv_1", 1);
      expect(readFileSync(join(host.agent, "made"), "utf8")).toBe("by the agent");
      if (sandbox.capabilities.isIsolated) expect(paths.agent).toBe("/workspace/agent");
    });

    it("has the given environment and no other", async () => {
      process.env["AICR_CONTRACT_SECRET"] = "hidden";
      const exit = await run("console.log(JSON.stringify(process.env))", {
        env: { PATH: "/usr/bin:/bin", HOME: "/nowhere", WORD: "a b\nc=d" },
      });
      delete process.env["AICR_CONTRACT_SECRET"];
      const {
        AICR_RUN_TOKEN: _,
        HOSTNAME: __,
        container: ___,
        PWD: ____,
        TERM: _____,
        ...rest
      } = JSON.parse(text(exit));
      expect(rest).toEqual({ PATH: "/usr/bin:/bin", HOME: "/nowhere", WORD: "a b\nc=d" });
    });

    it("caps output and says so", async () => {
      const exit = await run("setInterval(() => process.stdout.write('x'.repeat(50000)), 1)", {
        maxOutputBytes: 70_000,
      });
      expect(exit.reason).toBe("output_exceeded");
      expect(exit.stdout.length).toBe(70_000);
    });

    it("lets a program write its last state at the time limit, then ends it", async () => {
      const exit = await run(
        "process.on('SIGTERM', () => { console.log('last words'); process.exit(0) }); setInterval(() => {}, 1000)",
        { deadlineMs: START_MS },
      );
      expect(exit.reason).toBe("timeout");
      expect(text(exit)).toBe("last words\n");
    });

    it("ends a program that says nothing any more, and one that is cancelled", async () => {
      const silent = await run("console.log('hi'); setInterval(() => {}, 1000)", { idleMs: START_MS });
      expect(silent.reason).toBe("idle");
      const abort = new AbortController();
      const cancelled = run(
        "console.log('hi'); setInterval(() => {}, 1000)",
        { onStdout: () => abort.abort() },
        abort.signal,
      );
      expect((await cancelled).reason).toBe("cancelled");
    });

    it("tells of a program that is not there", async () => {
      const exit = await run("", { argv: ["/no/such/agent"] });
      expect(exit.reason === "spawn_failed" || (exit.reason === "exited" && exit.code !== 0)).toBe(true);
      expect(exit.stderr.toString("utf8")).toMatch(/no such|ENOENT|not found/i);
    });

    it("is over when its program ends, although a worker in another session holds stdout", async () => {
      const exit = await run(
        `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" }).unref();
         console.log("done")`,
      );
      expect(exit).toMatchObject({ reason: "exited", code: 0 });
      expect(text(exit)).toBe("done\n");
    });

    it("has a wall around files, where it says so", async () => {
      const { paths } = view;
      const forbidden = [paths.source, paths.root, "/", "/usr", "/etc", "/workspace"];
      const exit = await run(
        `const fs = require("fs"); const done = [];
         for (const folder of ${JSON.stringify(forbidden)}) {
           try { fs.writeFileSync(folder + "/aicr-planted", "x"); done.push(folder) } catch {}
         }
         for (const file of ["/etc/shadow", "/root/.profile", "/etc/hostname-of-host"]) {
           try { fs.readFileSync(file); done.push(file) } catch {}
         }
         const pattern = "/proc/sys/kernel/core_pattern";
         try { fs.writeFileSync(pattern, fs.readFileSync(pattern)); done.push(pattern) } catch {}
         fs.writeFileSync("/tmp/aicr-scratch", "x"); fs.unlinkSync("/tmp/aicr-scratch");
         console.log(JSON.stringify(done))`,
      );
      for (const folder of [root, "/", "/usr", "/etc"]) rmSync(join(folder, "aicr-planted"), { force: true });
      if (sandbox.capabilities.isIsolated) expect(JSON.parse(text(exit))).toEqual([]);
    });

    it("sees no process of the machine, and has no powers, where it says so", async () => {
      const exit = await run(
        `const fs = require("fs");
         console.log(fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,
           /CapEff:\\s*(\\w+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1],
           /NoNewPrivs:\\s*(\\d)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1])`,
      );
      if (!sandbox.capabilities.isIsolated) return;
      const [processes, powers, bound] = text(exit).trim().split(" ");
      expect(Number(processes)).toBeLessThan(6);
      expect([powers, bound]).toEqual(["0000000000000000", "1"]);
    });

    it("reaches nothing of the network but the model, where it says so", async () => {
      const other = createTcpServer((socket) => socket.end("reached"));
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const address = other.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const exit = await run(
        `const net = require("net");
         const try_ = (options) => new Promise((resolve) => {
           const socket = net.connect(options); socket.on("data", () => resolve("open")); socket.on("error", (e) => resolve(e.code));
         });
         (async () => {
           const origin = ${JSON.stringify(view.modelOrigin ?? "")};
           const model = origin === "" ? "" : await (await fetch(origin + "/v1/x")).text();
           console.log(await try_({ port: ${port}, host: "127.0.0.1" }), model);
           process.exit(0);
         })()`,
      );
      other.close();
      if (!sandbox.capabilities.isIsolated) expect(text(exit)).toBe("open \n");
      else expect(text(exit)).toBe("ECONNREFUSED model saw /v1/x\n");
    });

    it("reaches the sockets that it was shown", async () => {
      const exit = await run(
        `require("http").get({ socketPath: ${JSON.stringify(view.resolver)}, path: "/asked" }, (r) => r.pipe(process.stdout))`,
      );
      expect(text(exit)).toBe("model saw /asked");
      expect(existsSync(join(root, "socket", "m"))).toBe(true);
    });
  });
}
