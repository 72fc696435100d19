// The diagnostics server as clients meet it: the SDK's own client over stdio and HTTP, in separate processes.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createProject, type Project } from "../unit/checks/project.ts";

const server = fileURLToPath(new URL("../../dist/mcp-checks.mjs", import.meta.url));
let project: Project;
let env: Record<string, string>;
beforeEach(() => {
  project = createProject({ "a.js": "debugger;\nexport const a = 1;\n" });
  env = { PATH: process.env["PATH"] ?? "", HOME: project.root, XDG_CACHE_HOME: project.cacheDir };
});
afterEach(() => project.remove());

async function overStdio<T>(args: readonly string[], use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server, "--project", project.root, ...args],
    env,
    stderr: "pipe",
  });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function textOf(result: Awaited<ReturnType<Client["callTool"]>>): string {
  const [first] = result.content as readonly { text: string }[];
  return first?.text ?? "";
}

it("stdio: lists, checks, expands, and answers in Vietnamese; the next process needs no engine", async () => {
  const session = async (client: Client) => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "ping",
      "check_project",
      "check_files",
      "get_issue_detail",
      "get_loop_status",
    ]);
    const checked = await client.callTool({ name: "check_project", arguments: {} });
    expect(checked.structuredContent).toMatchObject({ schemaVersion: "1.1", status: "issues_found", totalIssues: 1 });
    const detail = await client.callTool({ name: "get_issue_detail", arguments: { clusterId: "c1" } });
    expect(JSON.parse(textOf(detail))).toMatchObject([{ file: "a.js", rule: "no-debugger", clusterId: "c1" }]);
    const stale = await client.callTool({ name: "get_issue_detail", arguments: { clusterId: "c9" } });
    expect(JSON.parse(textOf(stale))).toEqual({
      status: "stale",
      message: "Cluster/issue này không còn tồn tại; hãy chạy lại check_project.",
    });
    const refused = await client.callTool({ name: "check_files", arguments: { files: ["../x"] } });
    expect([refused.isError, JSON.parse(textOf(refused))]).toMatchObject([true, { code: "path_outside_project" }]);
    expect((await client.callTool({ name: "get_loop_status", arguments: {} })).structuredContent).toEqual({
      looping: false,
      signatures: [],
    });
  };
  await overStdio(["--locale", "vi"], session);
  // An engine that would now fail is not asked.
  const [folder = ""] = readdirSync(join(project.cacheDir, "aicr-checks"));
  expect(readFileSync(join(project.cacheDir, "aicr-checks", folder, "cache.json"), "utf8")).toContain("no-debugger");
  await overStdio(["--locale", "vi"], session);
});

it("foreign: nothing of the project is obeyed, and nothing is kept", async () => {
  const settings = JSON.stringify({ rules: { "no-debugger": "off" }, ignorePatterns: ["**"] });
  writeFileSync(join(project.root, ".oxlintrc.json"), settings);
  await overStdio(["--trust", "foreign"], async (client) => {
    const checked = await client.callTool({ name: "check_files", arguments: { files: ["a.js"] } });
    expect(checked.structuredContent).toMatchObject({ status: "issues_found", totalIssues: 1 });
  });
  expect(existsSync(join(project.cacheDir, "aicr-checks"))).toBe(false);
});

it("HTTP: two sessions have each their own newest check", async () => {
  const child = spawn(process.execPath, [server, "--project", project.root, "--transport", "http", "--port", "0"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const url = await new Promise<string>((resolve) => {
      child.stderr.on("data", (chunk: Buffer) => {
        const match = /http:\S+/.exec(chunk.toString());
        if (match !== null) resolve(match[0]);
      });
    });
    const clients = await Promise.all(
      ["one", "two"].map(async (name) => {
        const client = new Client({ name, version: "1" });
        await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client["connect"]>[0]);
        return client;
      }),
    );
    const [one, two] = clients as [Client, Client];
    expect((await one.callTool({ name: "check_project", arguments: {} })).structuredContent).toMatchObject({
      totalIssues: 1,
    });
    expect(
      (await one.callTool({ name: "get_issue_detail", arguments: { clusterId: "c1" } })).structuredContent,
    ).toHaveProperty("issues");
    expect(
      (await two.callTool({ name: "get_issue_detail", arguments: { clusterId: "c1" } })).structuredContent,
    ).toMatchObject({ status: "stale" });
    await Promise.all(clients.map((client) => client.close()));
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
});

it("a wrong option, and a project that is none, are said on stderr with exit code 2", async () => {
  for (const [args, word] of [
    [["--locale", "fr"], "--locale wants"],
    [["--project", join(project.root, "none")], "There is no directory"],
    [["--nope"], "--nope"],
  ] as const) {
    const child = spawn(process.execPath, [server, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    let printed = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(2);
    expect(said).toContain(word);
    expect(printed).toBe("");
  }
});

it("a client that goes away takes a running engine with it", async () => {
  const pids = join(project.root, "pid");
  project.put("node_modules/oxlint/package.json", '{"version":"9.9.9","bin":{"oxlint":"bin.cjs"}}');
  project.put(
    "node_modules/oxlint/bin.cjs",
    `require("node:fs").writeFileSync(${JSON.stringify(pids)}, String(process.pid)); setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [server, "--project", project.root], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "check_project", arguments: {} } });
  await expect.poll(() => read(pids), { timeout: 15_000, interval: 20 }).toMatch(/^\d+$/);
  child.kill("SIGTERM");
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  expect(read(`/proc/${read(pids)}/status`)).not.toMatch(/^State:\s+[RSD]/m);
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
