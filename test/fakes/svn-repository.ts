// Builds real Subversion repositories in temporary directories, one commit by one svnmucc, and serves them with a password.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "./git-repository.ts";

/** What one commit does, in this order of effect: as svnmucc takes it. Paths are below the repository's root. */
export type SvnAction =
  | readonly ["mkdir", string]
  | readonly ["put", string, string | Buffer]
  | readonly ["rm", string]
  /** Revision (or HEAD), source, destination. */
  | readonly ["cp", number | "HEAD", string, string]
  | readonly ["mv", string, string]
  | readonly ["propset", string, string, string]
  | readonly ["propdel", string, string];

export interface SvnRepository {
  readonly path: string;
  readonly url: string;
  /** Makes one revision and gives its number. */
  commit(actions: readonly SvnAction[], options?: { readonly author?: string; readonly message?: string }): number;
  remove(): void;
}

const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", LC_ALL: "C.UTF-8" };

export function createSvnRepository(): SvnRepository {
  const made = temporaryDirectory("aicr-svn-");
  const path = join(made.path, "repo");
  execFileSync("svnadmin", ["create", path], { env: ENV });
  const url = `file://${path}`;
  let count = 0;
  let files = 0;
  /** A whole URL, so that no name looks like an option. */
  const pathArgument = (path: string): string => `${url}/${path.split("/").map(encodeURIComponent).join("/")}`;
  return {
    path,
    url,
    commit(actions, options = {}) {
      const args = actions.flatMap((action): readonly string[] => {
        switch (action[0]) {
          case "put": {
            const file = join(made.path, `content-${files++}`);
            writeFileSync(file, action[2]);
            return ["put", file, pathArgument(action[1])];
          }
          case "cp":
            return ["cp", String(action[1]), pathArgument(action[2]), pathArgument(action[3])];
          case "propset":
            return ["propset", action[1], action[2], pathArgument(action[3])];
          case "propdel":
            return ["propdel", action[1], pathArgument(action[2])];
          default:
            return [action[0], ...action.slice(1).map(pathArgument)];
        }
      });
      const common = ["--non-interactive", "--config-dir", join(made.path, "config")];
      const message = ["-m", options.message ?? `change ${count + 1}`, "-u", options.author ?? "ada"];
      execFileSync("svnmucc", [...common, ...message, ...args], { env: ENV, stdio: ["ignore", "pipe", "pipe"] });
      return ++count;
    },
    remove: made.remove,
  };
}

/** `svnserve` on a loopback port; reading needs the user `bot`. */
export async function serveSvn(
  repository: SvnRepository,
  password: string,
): Promise<{ readonly url: string; stop(): void }> {
  writeFileSync(
    join(repository.path, "conf", "svnserve.conf"),
    "[general]\nanon-access = none\nauth-access = read\npassword-db = passwd\nauthz-db = authz\nrealm = test\n",
  );
  writeFileSync(join(repository.path, "conf", "passwd"), `[users]\nbot = ${password}\n`);
  writeFileSync(join(repository.path, "conf", "authz"), "[/]\nbot = r\n");
  const port = await freePort();
  const child: ChildProcess = spawn(
    "svnserve",
    ["-d", "--foreground", "--listen-host", "127.0.0.1", "--listen-port", String(port), "-r", repository.path],
    { env: ENV, stdio: "ignore" },
  );
  await untilListening(port, child);
  return { url: `svn://127.0.0.1:${port}`, stop: () => void child.kill("SIGKILL") };
}

/** Closes part of a served repository. @param rules lines of an authz file. */
export function restrict(repository: SvnRepository, rules: string): void {
  writeFileSync(join(repository.path, "conf", "authz"), rules);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Real time, but no fixed wait: the server is there when it answers. */
async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = await new Promise<Socket | null>((resolve) => {
      const attempt = connect(port, "127.0.0.1", () => resolve(attempt));
      attempt.on("error", () => resolve(null));
    });
    if (socket !== null) {
      socket.destroy();
      return;
    }
  }
  throw new Error("svnserve ended before it listened");
}
