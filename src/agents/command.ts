// The `command` agent: any program that speaks MCP, told by a template where its prompt, its tools and the change are.
import { AppError } from "../core/errors.ts";
import type { Adapter, AdapterSetup, ToolServer } from "./adapter.ts";

export interface CommandAgentSettings {
  /** The program and its arguments; `{name}` in an argument stands for a value of `placeholders`. */
  readonly argv: readonly [string, ...string[]];
  /** Further variables; their values may hold the same placeholders. Never a secret: the agent could tell it. */
  readonly env: Readonly<Record<string, string>>;
  /** How the prompt gets to it; with `argument` some argument holds `{prompt}`. */
  readonly prompt: "file" | "stdin" | "argument";
  /** Files and folders that it runs from, beside the system's own. */
  readonly programs: readonly string[];
  /** How the tools are listed to it. */
  readonly names: "canonical" | "underscore";
}

/** What an argument or a variable may name, and what it stands for. */
export const placeholders = {
  prompt: "the prompt itself",
  prompt_file: "a file with the prompt",
  mcp_config: "a file that names the tool servers, in the mcpServers form",
  source: "the new side of the changed files, read-only",
  base: "their old side, read-only",
  change: "change.json: the facts of the change",
  agent: "the writable working directory",
  home: "HOME of the pass",
  tmp: "a writable folder for temporary files",
  node: "the node program",
  run_id: "the id of the pass",
  locale: "the language of the report",
  model: "the id of the model",
  model_origin: "the address where the model answers, without version",
  model_key: "what stands where a key is demanded",
} as const;

export type Placeholder = keyof typeof placeholders;

const pattern = /\{([a-z_]+)\}/g;

/** Names in braces that stand for nothing; a template that has any is a mistake. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(pattern)].map(([, name]) => name ?? "").filter((name) => !(name in placeholders));
}

export function createCommandAdapter(settings: CommandAgentSettings): Adapter {
  return {
    kind: "command",
    capabilities: {
      tools: "mcp-stdio",
      names: settings.names,
      endpoints: ["openai-compatible", "anthropic", "google"],
      tellsTools: false,
      tellsUsage: false,
      boundsTurns: false,
      // Of an unknown program the worst is assumed: the sandbox is what holds.
      isDisarmable: false,
      ignoresRepositorySettings: false,
      isQuiet: false,
    },
    programs: settings.programs,
    async prepare(setup) {
      const values = await valuesFor(setup);
      const [program, ...args] = settings.argv.map((argument) => fill(argument, values));
      if (program === undefined) throw noProgram();
      return {
        argv: [program, ...args],
        env: Object.fromEntries(Object.entries(settings.env).map(([name, value]) => [name, fill(value, values)])),
        ...(settings.prompt === "stdin" ? { stdin: setup.prompt } : {}),
      };
    },
  };
}

async function valuesFor(setup: AdapterSetup): Promise<Readonly<Record<Placeholder, string>>> {
  const { pass, view, model } = setup;
  return {
    prompt: setup.prompt,
    prompt_file: await setup.write("prompt.md", setup.prompt),
    mcp_config: await setup.write("mcp.json", mcpServersJson(setup.servers)),
    source: view.paths.source,
    base: view.paths.base,
    change: view.paths.change,
    agent: view.paths.agent,
    home: setup.home,
    tmp: view.paths.tmp,
    node: process.execPath,
    run_id: pass.runId,
    locale: pass.locale,
    model: model?.id ?? "",
    model_origin: model?.origin ?? "",
    model_key: model?.placeholderKey ?? "",
  };
}

/** The form of tool servers that most MCP clients read. */
export function mcpServersJson(servers: readonly ToolServer[]): string {
  const entries = servers.map(({ name, command, args, env }) => [name, { type: "stdio", command, args, env }] as const);
  return `${JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2)}\n`;
}

/** What is put in is never looked at again: a prompt may hold braces of its own. */
function fill(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replace(pattern, (whole, name: string) => (name in values ? values[name as Placeholder] : whole));
}

function noProgram(): AppError {
  return new AppError("config", "The agent's command is empty.", {
    remedy: "Give agents.<name>.argv a program and its arguments.",
  });
}
