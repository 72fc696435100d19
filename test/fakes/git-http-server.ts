// A real git server on loopback: git's own http-backend behind basic authentication.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface GitHttpServer {
  /** `http://127.0.0.1:<port>`; repositories lie below it by their path under the root. */
  readonly url: string;
  /** Method, path and whether the password was right, of every request. */
  readonly requests: readonly string[];
  /** What to answer instead of git, until set back to null. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  stop(): Promise<void>;
}

/** The path of git's CGI program; null where it is not installed. */
export function findHttpBackend(): string | null {
  const path = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  return existsSync(path) ? path : null;
}

export async function startGitHttpServer(options: {
  readonly root: string;
  readonly username?: string;
  readonly password?: string;
}): Promise<GitHttpServer> {
  const backend = findHttpBackend();
  if (backend === null) throw new Error("git-http-backend is not installed");
  const expected =
    options.password === undefined
      ? null
      : `Basic ${Buffer.from(`${options.username}:${options.password}`).toString("base64")}`;
  const requests: string[] = [];

  const server = createServer((request, response) => {
    const allowed = expected === null || request.headers.authorization === expected;
    requests.push(`${request.method} ${request.url} ${allowed ? "allowed" : "refused"}`);
    if (handle.answer !== null) return handle.answer(request, response);
    if (!allowed) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
      return;
    }
    runBackend(backend, options.root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const handle: GitHttpServer = {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: null,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return handle;
}

/** Speaks CGI: the head of the program's output is the head of the answer. */
function runBackend(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const child = spawn(backend, [], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: request.headers["git-protocol"]?.toString() ?? "",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  let head = Buffer.alloc(0);
  const onHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    child.stdout.off("data", onHead);
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const colon = line.indexOf(":");
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", onHead);
}
