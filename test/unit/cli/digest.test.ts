// `aicr-bot digest`: what the server's store remembers, as text, Markdown and JSON, and the exit codes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { createSqliteStore } from "../../../src/store/sqlite/store.ts";
import { finding, reviewed } from "../../contract/store-samples.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const hour = 3_600_000;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aicr-digest-"));
  const repositories = ["demo", "game"].map((alias) => `  - alias: ${alias}\n    demo: true\n`).join("");
  writeFileSync(join(folder, "aicr-bot.yaml"), `data_dir: ./data\nrepositories:\n${repositories}`);
  const store = await createSqliteStore({ directory: join(folder, "data"), logger: silentLogger });
  try {
    const ago = (ms: number) => ({ now: Date.now() - ms });
    await reviewed(store, ago(2 * hour), { ...ago(2 * hour), findings: [finding("f1", { severity: "critical" })] });
    await reviewed(store, ago(30 * hour), { ...ago(30 * hour), findings: [finding("f2", { severity: "low" })] });
  } finally {
    await store.close();
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

async function digest(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(
    ["digest", ...argv],
    {
      stdout: (text) => void out.push(text),
      stderr: (text) => void err.push(text),
      env: { HOME: folder },
      cwd: folder,
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      columns: 80,
      signal: new AbortController().signal,
    },
    "0.0.0",
  );
  return { code, out: out.join(""), err: err.join("") };
}

it("sums up the week of all repositories as plain text, and exits with 0", async () => {
  const { code, out, err } = await digest();
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("Digest of demo, game");
  expect(out).toMatch(/New findings.*1 critical, 1 low/);
  expect(out).toContain("Critical `src/a.ts` — Problem f1");
  expect(out).not.toContain("\u001b");
  expect(out).toMatch(/[^\n]\n$/);
});

it("counts the window that was asked for, with the one before it, as JSON", async () => {
  const { code, out } = await digest("demo", "--since", "24h", "--format", "json");
  expect(code).toBe(0);
  const { from, to, repositories } = JSON.parse(out);
  expect(Date.parse(to) - Date.parse(from)).toBe(24 * hour);
  expect(repositories).toHaveLength(1);
  expect(repositories[0]).toMatchObject({
    repository: "demo",
    numbers: { fresh: { critical: 1, low: 0 }, open: { critical: 1, low: 1 } },
    before: { fresh: { critical: 0, low: 1 } },
    top: [
      { severity: "critical", title: "Problem f1" },
      { severity: "low", title: "Problem f2" },
    ],
  });
});

it("speaks the language that was asked for, as Markdown", async () => {
  const { code, out } = await digest("demo", "--lang", "zh-CN", "--format", "markdown", "--tz", "Asia/Shanghai");
  expect(code).toBe(0);
  expect(out).toMatch(/^# .*demo/);
  expect(out).toContain("Problem f1");
  expect(out).not.toContain("New findings");
});

it.each([
  [["nowhere"], /no repository nowhere .*demo, game/s],
  [["--since", "soon"], /soon is no window of time.*7d/s],
  [["--tz", "Mars/Olympus"], /Mars\/Olympus is no time zone/],
  [["--format", "html"], /format/],
] as const)("exits with 2 and says what to do: %j", async (argv, said) => {
  const { code, out, err } = await digest(...argv);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(said);
  expect(err).not.toMatch(/^\s+at /m);
});
