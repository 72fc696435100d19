// The configuration as people write it: found, read, defaulted and resolved.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../../src/config/load.ts";
import { bundlePath, packageRoot, packageVersion } from "../../../src/config/paths.ts";
import { configJsonSchema, settingsAt } from "../../../src/config/schema.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "config-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}

describe("without a file", () => {
  test("outside a repository: the chat, the checks agent and the demo", async () => {
    const config = await loadConfig({ cwd: folder, env: {} });
    expect(config).toMatchObject({
      file: null,
      server: { host: "127.0.0.1", port: 8787 },
      dataDir: path.join(folder, "data"),
      language: "en",
      logLevel: "info",
      noProblems: "suppress",
      subscriptions: [],
      secrets: [],
      channels: { web: { enabled: true } },
    });
    expect(config.repositories).toEqual([
      {
        alias: "demo",
        vcs: "git",
        source: { kind: "demo", path: path.join(folder, "data", "demo") },
        web: {},
        agent: "checks",
        pollMs: 60_000,
      },
    ]);
  });

  test("inside a work tree, from a folder below its root: the repository is `.`", async () => {
    execFileSync("git", ["init", "-q", folder]);
    const below = path.join(folder, "a", "b");
    mkdirSync(below, { recursive: true });
    const config = await loadConfig({ cwd: below, env: {} });
    expect(config.repositories.map(({ alias, source }) => [alias, source])).toEqual([
      [".", { kind: "path", path: folder }],
      ["demo", { kind: "demo", path: path.join(below, "data", "demo") }],
    ]);
  });

  test("inside a bare repository", async () => {
    execFileSync("git", ["init", "-q", "--bare", folder]);
    const [first] = (await loadConfig({ cwd: folder, env: {} })).repositories;
    expect(first).toMatchObject({ alias: ".", source: { kind: "path", path: folder } });
  });
});

describe("with a file", () => {
  test("aicr-bot.yaml of the folder is found; an empty one configures nothing", async () => {
    write("aicr-bot.yaml", "# nothing yet\n");
    const config = await loadConfig({ cwd: folder, env: {} });
    expect(config.file).toBe(path.join(folder, "aicr-bot.yaml"));
    expect(config.repositories).toEqual([]);
  });

  test("paths start from the file, ~ from home; secrets come from the environment or from .env", async () => {
    mkdirSync(path.join(folder, "etc"));
    write(
      "etc/bot.yaml",
      `
data_dir: ../var
server: { host: 0.0.0.0, port: 0, public_url: "https://bot.example.com/" }
repositories:
  - { alias: a, path: ../code }
  - { alias: b, url: "https://git.example.com/b.git", credentials: { password_env: B_TOKEN } }
  - { alias: c, url: "git@git.example.com:c.git", credentials: { ssh_key_file: ~/key } }
  - { alias: d, url: "https://git.example.com/d.git", credentials: { username: u, password_env: D_TOKEN } }
templates: { folders: [texts] }
limits: { review_seconds: 30 }
`,
    );
    write("etc/.env", "B_TOKEN=from file\nD_TOKEN=from file\n");
    const config = await loadConfig({ file: "etc/bot.yaml", cwd: folder, env: { D_TOKEN: "from environment" } });
    expect(config.dataDir).toBe(path.join(folder, "var"));
    expect(config.server).toEqual({ host: "0.0.0.0", port: 0, publicUrl: "https://bot.example.com" });
    expect(config.templateFolders).toEqual([path.join(folder, "etc", "texts")]);
    expect(config.limits.reviewMs).toBe(30_000);
    expect(config.repositories.map(({ source }) => source)).toEqual([
      { kind: "path", path: path.join(folder, "code") },
      { kind: "url", url: "https://git.example.com/b.git", credentials: { password: "from file" } },
      { kind: "url", url: "git@git.example.com:c.git", credentials: { sshKeyFile: path.join(homedir(), "key") } },
      {
        kind: "url",
        url: "https://git.example.com/d.git",
        credentials: { username: "u", password: "from environment" },
      },
    ]);
    expect(config.secrets).toEqual(["from file", "from environment"]);
  });

  test("the filters of a subscription, under all their names", async () => {
    write(
      "aicr-bot.yaml",
      `
repositories: [{ alias: a, demo: true }]
subscriptions:
  - repository: a
    conversation: { channel: web, conversation: team }
    branch: [main, -dependabot/**]
    path: src/**
    watch_path: [lib/**, -lib/old/**]
    include_cr_file: [app/**]
    exclude_cr_file: "**/*.gen.cpp"
    author: "-*[bot]"
    mode: audit
    severity: high
    language: vi
`,
    );
    const config = await loadConfig({ cwd: folder, env: {} });
    expect(config.subscriptions).toEqual([
      {
        repository: "a",
        conversation: { channel: "web", workspace: "local", conversation: "team" },
        filters: {
          branches: ["main"],
          notBranches: ["dependabot/**"],
          paths: ["src/**", "lib/**", "app/**"],
          notPaths: ["lib/old/**", "**/*.gen.cpp"],
          authors: [],
          notAuthors: ["*[bot]"],
        },
        mode: "audit",
        severity: "high",
        language: "vi",
      },
    ]);
  });
});

describe("the example", () => {
  const root = packageRoot();
  const text = readFileSync(path.join(root, "aicr-bot.example.yaml"), "utf8");
  const secrets = readFileSync(path.join(root, ".env.example"), "utf8");

  test("loads, with the variables of .env.example", async () => {
    write("aicr-bot.yaml", text);
    write(".env", secrets);
    const config = await loadConfig({ cwd: folder, env: {} });
    expect(config.repositories.map(({ alias }) => alias)).toEqual(["shop", "game", "engine", "tools", "world", "demo"]);
    expect(config.subscriptions).toHaveLength(2);
    expect(config.subscriptions[1]?.filters).toMatchObject({ paths: ["src/**"], notPaths: ["**/*.generated.h"] });
  });

  test("names every variable in .env.example, and none that is not used", () => {
    const used = [...text.matchAll(/_envs?:\s*\[?([A-Z0-9_]+)/g)].map((match) => match[1]).sort();
    const offered = [...secrets.matchAll(/^([A-Z0-9_]+)=/gm)].map((match) => match[1]).sort();
    expect(offered).toEqual(used);
  });

  test("shows every setting, those that are commented out with their default", async () => {
    const uncommented = text.replace(/^(\s*)# ([a-z_]+: [^\s].*)$/gm, "$1$2");
    const shown = parse(uncommented) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    expect(Object.keys(shown).sort()).toEqual([...settingsAt([])].sort());
    for (const group of ["server", "log", "limits", "quotas", "templates"]) {
      expect(Object.keys(shown[group] ?? {}).sort(), group).toEqual([...settingsAt([group])].sort());
    }
    const standard = await loadConfig({ cwd: folder, env: {} });
    expect(shown["limits"]).toMatchObject({
      review_seconds: standard.limits.reviewMs / 1000,
      diff_bytes: standard.limits.diffBytes,
      file_bytes: standard.limits.fileBytes,
      run_bytes: standard.limits.runBytes,
      concurrency: standard.limits.concurrency,
      keep_days: standard.limits.keepDays,
      keep_run_days: standard.limits.keepRunDays,
    });
    expect(shown["quotas"]).toEqual({
      person_per_minute: standard.quotas.person,
      conversation_per_minute: standard.quotas.conversation,
      admin_per_minute: standard.quotas.admin,
    });
    expect(shown["channels"]?.["web"]).toEqual(standard.channels.web);
  });
});

test("the editor's schema describes what may be written", () => {
  const schema = configJsonSchema();
  expect(schema).toMatchObject({ type: "object", additionalProperties: false });
  const { required = [] } = schema as { readonly required?: readonly string[] };
  expect(required).toEqual([]);
  expect(JSON.stringify(schema)).toContain('"password_env"');
});

test("the product's own files are found from the sources", () => {
  expect(JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"))).toMatchObject({
    name: "aicr-bot",
    version: packageVersion(),
  });
  expect(bundlePath("mcp-output")).toBe(path.join(packageRoot(), "dist", "mcp-output.mjs"));
});
