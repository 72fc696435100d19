// The doctor says whether an agent's program is there, and how to get it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentChecks } from "../../../src/cli/doctor-agents.ts";
import type { Config } from "../../../src/config/config.ts";
import { resolveAgents } from "../../../src/config/resolve-agents.ts";
import { configSchema } from "../../../src/config/schema.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aicr-doctor-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

function agents(...list: readonly object[]): Pick<Config, "agents"> {
  const parsed = configSchema.parse({ agents: list });
  return { agents: resolveAgents(parsed, {}) };
}

describe("agents that are programs", () => {
  it("are found in PATH, with the version of their package", async () => {
    const path = program("node_modules/@openai/codex/codex");
    writeFileSync(join(path, "../package.json"), '{"version":"0.171.0"}');
    const [check] = agentChecks(agents({ name: "fast", kind: "codex" }), { PATH: join(path, "..") });
    expect(check?.name).toBe("agent:fast");
    expect(await check?.run()).toEqual({ state: "ok", detail: `${path}, version 0.171.0` });
  });

  it("are missed with what installs them", async () => {
    const missing = agents(
      { name: "claude", kind: "claude-code" },
      { name: "own", kind: "command", program: "/no/where" },
    );
    const [known, own] = agentChecks(missing, { PATH: folder });
    expect(await known?.run()).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("npm install -g @anthropic-ai/claude-code"),
    });
    expect(await own?.run()).toMatchObject({ state: "fail", remedy: expect.stringContaining("agents.program") });
  });

  it("are all that is looked at: the built-in ones need nothing", () => {
    expect(agentChecks(agents({ name: "again", kind: "checks" }), {})).toEqual([]);
  });
});
