// What each command line is started with, to the letter: arguments, variables and files, also where paths and names are hostile.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdapterSetup, Invocation } from "../../../src/agents/adapter.ts";
import { adapterFor, commandLines } from "../../../src/agents/adapters.ts";
import { runPaths } from "../../../src/agents/workspace.ts";
import { agentKinds } from "../../../src/config/agents-schema.ts";

let folder: string;
let program: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "aicr adapters ")));
  program = join(folder, "bin", "agent");
  mkdirSync(dirname(program));
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const root = `/srv/it's a "run"`;
const home = posix.join(root, "rv_1-1/tmp/home-x");

function setup(files: Record<string, string>, rest: Partial<AdapterSetup> = {}): AdapterSetup {
  const paths = runPaths(root, "rv_1", 1);
  return {
    pass: { runId: "rv_1-1.1", kind: "initial", paths, locale: "en", deadlineMs: 1_000 },
    view: { paths, home, mounts: [] },
    home,
    async write(path, text) {
      files[path] = text;
      return posix.join(home, path);
    },
    prompt: "Review 'this'; $(touch /tmp/x) \"that\"\nand {env:HOME}.",
    servers: [
      {
        name: "aicr-output",
        command: "/opt/my node/node",
        args: [`${root}/mcp-output.mjs`, "--names", "underscore"],
        env: { AICR_RUN_ID: "rv_1-1.1", AICR_ODD: 'a "b" = \\c\n[d] $e' },
      },
      { name: "aicr-checks", command: "/opt/my node/node", args: ["checks.mjs"], env: {} },
    ],
    model: {
      kind: "openai-compatible",
      id: 'org/model "x"',
      origin: "http://127.0.0.1:8642",
      placeholderKey: "aicr-placeholder",
      contextTokens: 128_000,
      maxOutputTokens: 8_192,
    },
    turns: 40,
    ...rest,
  };
}

async function prepared(
  kind: string,
  rest: Partial<AdapterSetup> = {},
): Promise<{ readonly invocation: Invocation; readonly files: Record<string, string> }> {
  const files: Record<string, string> = {};
  const choice = { kind, program, arguments: ["--further", "a b"], reads: [], env: ["EXTRA", "MISSING", "HOME"] };
  const adapter = adapterFor(choice, { EXTRA: "1" });
  if (adapter === null) throw new Error(`no adapter for ${kind}`);
  return { invocation: await adapter.prepare(setup(files, rest)), files };
}

const kinds = commandLines.map(({ kind }) => kind);

describe("the command lines", () => {
  it("are all that the configuration can name, beside those that are built in", () => {
    expect([...kinds, "checks", "model", "command"].sort()).toEqual([...agentKinds].sort());
    expect(adapterFor({ kind: "command", arguments: [], reads: [], env: [] }, {})).toBeNull();
  });

  it.each(kinds)("%s is started with exactly these arguments, variables and files", async (kind) => {
    const { invocation, files } = await prepared(kind);
    const { argv, env } = invocation;
    expect(argv[0]).toBe(program);
    expect(invocation.stdin).toBeUndefined();
    const golden = { args: argv.slice(1), env, files };
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot(`../../fixtures/agents/${kind}.json`);
  });

  it.each(kinds)(
    "%s gets no key, no folder of the repository as its own, and every file within its HOME",
    async (kind) => {
      const { invocation, files } = await prepared(kind);
      const { source } = runPaths(root, "rv_1", 1);
      const before = invocation.argv.flatMap((argument, index) =>
        argument === source ? [invocation.argv[index - 1]] : [],
      );
      for (const flag of before) expect(["--add-dir", "--include-directories"]).toContain(flag);
      for (const [name, value] of Object.entries(invocation.env)) {
        if (/KEY$/.test(name)) expect(value).toBe("aicr-placeholder");
        if (/HOME$|CONFIG/.test(name) && value.startsWith("/")) expect(value.startsWith(home)).toBe(true);
      }
      for (const path of Object.keys(files)) expect(posix.normalize(path)).toBe(path);
      expect(invocation.env["EXTRA"]).toBe("1");
      expect(invocation.env).not.toHaveProperty("MISSING");
    },
  );

  it.each(kinds)("%s gets a prompt that is too long for an argument on stdin", async (kind) => {
    const prompt = `Review this. ${"é".repeat(64 * 1024)}`;
    const { invocation } = await prepared(kind, { prompt });
    expect(invocation.stdin).toBe(prompt);
    for (const argument of invocation.argv) expect(Buffer.byteLength(argument)).toBeLessThan(8_192);
  });

  it.each(kinds)("%s says what is missing: the program, with what installs it, and a model", async (kind) => {
    const choice = { kind, arguments: [], reads: [], env: [] };
    const adapter = adapterFor(choice, { PATH: `relative:${folder}` });
    expect(adapter?.programs).toEqual([]);
    expect(adapter?.version).toBeUndefined();
    await expect(adapter?.prepare(setup({}))).rejects.toMatchObject({
      code: "config",
      reason: "agent_missing",
      remedy: expect.stringContaining("npm install -g"),
    });
    const { model: _, ...without } = setup({});
    await expect(adapter?.prepare(without)).rejects.toMatchObject({ code: "config", reason: "agent_without_model" });
  });
});

describe("the tool servers", () => {
  it("reach Codex as they are, whatever characters they hold", async () => {
    const { files } = await prepared("codex");
    const config = parse(files["codex/config.toml"] ?? "") as { mcp_servers: Record<string, Record<string, unknown>> };
    const [server] = setup({}).servers;
    expect(config.mcp_servers["aicr-output"]).toMatchObject({
      command: server?.command,
      args: server?.args,
      env: server?.env,
      required: true,
    });
  });

  it("reach Goose through starters that need no quoting, and that hand everything on", async () => {
    const echo = join(folder, "an echo.mjs");
    writeFileSync(echo, "process.stdout.write(JSON.stringify([process.argv.slice(2), process.env.AICR_ODD]));");
    const odd = `it's "odd" \\ $HOME\n`;
    const servers = [{ name: "aicr-output", command: process.execPath, args: [echo, odd], env: { AICR_ODD: odd } }];
    const { invocation, files } = await prepared("goose", { servers });
    const at = invocation.argv.indexOf("--with-extension");
    expect(invocation.argv[at + 1]).toBe("node ../tmp/home-x/servers/aicr-output.mjs");
    const starter = join(folder, "starter.mjs");
    writeFileSync(starter, files["servers/aicr-output.mjs"] ?? "");
    expect(JSON.parse(execFileSync(process.execPath, [starter], { encoding: "utf8" }))).toEqual([[odd], odd]);
  });
});

describe("an agent's program", () => {
  const choice = { kind: "codex", arguments: [], reads: ["/opt/more"], env: [] };

  it("is found in PATH, shown without its links and with the packages around it, and its version is known", async () => {
    const modules = join(folder, "lib", "node_modules");
    const inner = join(modules, "@openai", "codex");
    mkdirSync(join(inner, "node_modules", "deep", "bin"), { recursive: true });
    const script = join(inner, "node_modules", "deep", "bin", "codex.js");
    writeFileSync(script, "#!/usr/bin/env node\n", { mode: 0o755 });
    writeFileSync(join(inner, "node_modules", "deep", "package.json"), '{"version":"1.2.3"}');
    symlinkSync(script, join(folder, "bin", "codex"));
    const adapter = adapterFor(choice, { PATH: `/nowhere:${join(folder, "bin")}` });
    expect(adapter?.programs).toEqual([modules, "/opt/more"]);
    expect(adapter?.version).toBe("1.2.3");
    expect((await adapter?.prepare(setup({})))?.argv[0]).toBe(script);
  });

  it("stands alone where it comes in no package, and is none where nobody may run it", () => {
    const alone = adapterFor({ ...choice, program }, {});
    expect(alone?.programs).toEqual([program, "/opt/more"]);
    expect(alone?.version).toBeUndefined();
    chmodSync(program, 0o644);
    expect(adapterFor({ ...choice, program }, {})?.programs).toEqual(["/opt/more"]);
    expect(adapterFor({ ...choice, program: dirname(program) }, {})?.programs).toEqual(["/opt/more"]);
    expect(readFileSync(program, "utf8")).toBe("#!/bin/sh\n");
  });
});
