// The real command lines, pinned, each installed into a folder of its own below a cache.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelKind } from "../../src/agents/model/settings.ts";

export interface AgentPackage {
  readonly kind: string;
  readonly package: string;
  readonly version: string;
  /** Relative to its node_modules. */
  readonly program: string;
  readonly speaks: ModelKind;
}

export const agentPackages: readonly AgentPackage[] = [
  {
    kind: "codex",
    package: "@openai/codex",
    version: "0.171.0",
    program: ".bin/codex",
    speaks: "openai-compatible",
  },
  {
    kind: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
    program: ".bin/claude",
    speaks: "anthropic",
  },
  {
    kind: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: ".bin/opencode",
    speaks: "openai-compatible",
  },
  { kind: "gemini", package: "@google/gemini-cli", version: "0.61.0", program: ".bin/gemini", speaks: "google" },
  {
    kind: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.15.10",
    program: ".bin/qwen",
    speaks: "openai-compatible",
  },
  {
    kind: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    program: ".bin/copilot",
    speaks: "openai-compatible",
  },
  {
    kind: "goose",
    package: "@aaif/goose-binary-linux-x64",
    version: "0.20.1",
    program: "@aaif/goose-binary-linux-x64/bin/goose",
    speaks: "openai-compatible",
  },
  { kind: "kilo", package: "@kilocode/cli", version: "7.7.7", program: ".bin/kilo", speaks: "openai-compatible" },
];

const cache =
  process.env["AICR_AGENTS_CACHE"] ?? join(fileURLToPath(new URL("../../", import.meta.url)), ".cache", "agents");

/** Only these, separated by commas; all of them where it is not set. */
const chosen = process.env["AICR_AGENTS"]?.split(",");

export function chosenPackages(): readonly AgentPackage[] {
  return agentPackages.filter(({ kind }) => chosen === undefined || chosen.includes(kind));
}

/** @returns the program's absolute path; the package is installed where its pinned version is not there yet. */
export function installAgent(agent: AgentPackage): string {
  const folder = join(cache, agent.kind);
  const modules = join(folder, "node_modules");
  if (versionIn(join(modules, agent.package)) !== agent.version) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    const what = `${agent.package}@${agent.version}`;
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "-E", what], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return join(modules, agent.program);
}

function versionIn(folder: string): string | null {
  const path = join(folder, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : null;
}
