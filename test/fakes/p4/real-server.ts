// A real p4d on loopback for the opt-in suite: P4D_BIN names the server, and p4 must be on the PATH.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodePath } from "../../../src/vcs/p4/depot-paths.ts";
import { temporaryDirectory } from "../git-repository.ts";
import type { Submission } from "./repository.ts";

export interface P4Server {
  readonly port: string;
  /** Submits as `ann` through her own workspace; gives the number. */
  submit(submission: Submission): number;
  stop(): void;
}

/** The server runs until `stop`. Throws when it does not answer within ten seconds. */
export function startP4Server(program: string): P4Server {
  const root = temporaryDirectory("aicr-p4d-");
  const port = `127.0.0.1:${freePort()}`;
  const server = spawn(program, ["-r", root.path, "-p", port, "-L", "log", "-J", "off"], { stdio: "ignore" });
  const workspace = join(root.path, "ws");
  mkdirSync(workspace);
  const env = { PATH: process.env["PATH"] ?? "", HOME: root.path, P4PORT: port, P4USER: "ann", P4CLIENT: "ann-ws" };
  const p4 = (args: readonly string[], input?: string): string =>
    execFileSync("p4", args, { cwd: workspace, env, encoding: "utf8", ...(input !== undefined && { input }) });
  awaitAnswer(() => p4(["info"]));
  p4(["client", "-i"], `Client: ann-ws\nOwner: ann\nRoot: ${workspace}\nView:\n\t//depot/game/... //ann-ws/...\n`);
  const live = new Set<string>();

  function place(path: string, content: string | Buffer): void {
    const target = join(workspace, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }

  return {
    port,
    submit({ write = {}, remove = [], move = [] }) {
      const depot = (path: string): string => `//depot/game/${encodePath(path)}`;
      for (const path of remove) {
        p4(["delete", depot(path)]);
        live.delete(path);
      }
      for (const { from, to, content } of move) {
        p4(["edit", depot(from)]);
        p4(["move", depot(from), depot(to)]);
        chmodSync(join(workspace, to), 0o644);
        place(to, content);
        live.delete(from);
        live.add(to);
      }
      for (const [path, content] of Object.entries(write)) {
        const type = Buffer.from(content).includes(0) ? "binary" : "text";
        if (live.has(path)) {
          p4(["edit", depot(path)]);
          place(path, content);
        } else {
          place(path, content);
          // -f takes the local name as it is, with @, # and the like.
          p4(["add", "-f", "-t", type, join(workspace, path)]);
          live.add(path);
        }
      }
      return Number(/Change (?:\d+ renamed change )?(\d+)/.exec(p4(["submit", "-d", "change"]))?.[1]);
    },
    stop() {
      server.kill("SIGKILL");
      root.remove();
    },
  };
}

function awaitAnswer(ask: () => string): void {
  const until = Date.now() + 10_000;
  for (;;) {
    try {
      ask();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** Asks the system for a port that nobody uses. */
function freePort(): number {
  const code = `const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})`;
  return Number(execFileSync(process.execPath, ["-e", code], { encoding: "utf8" }));
}
