// Codex without a terminal: a CODEX_HOME of its own, no shell and no plugins; it reads the change from its prompt alone.
import { stringify } from "smol-toml";
import type { StreamReading } from "./adapter.ts";
import type { CommandLine, CommandLineSetup } from "./command-line.ts";
import { countIn, createStreamNotes, objectIn, textIn } from "./stream-notes.ts";

export const codex: CommandLine = {
  kind: "codex",
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["openai-compatible"],
    tellsTools: true,
    tellsUsage: true,
    boundsTurns: false,
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare(setup) {
    const { home, write, view, model, asked, further } = setup;
    await write("codex/config.toml", configToml(setup));
    return {
      args: [
        "exec",
        "--json",
        "--ephemeral",
        "--skip-git-repo-check",
        "--ignore-rules",
        "-c",
        "project_doc_max_bytes=0",
        "-C",
        view.paths.agent,
        ...further,
        asked.stdin === undefined ? asked.argument : "-",
      ],
      env: { CODEX_HOME: `${home}/codex`, AICR_MODEL_KEY: model.placeholderKey },
    };
  },
  read: readCodexStream,
};

function configToml({ servers, model }: CommandLineSetup): string {
  return stringify({
    model: model.id,
    model_provider: "aicr",
    model_context_window: model.contextTokens,
    approval_policy: "never",
    sandbox_mode: "read-only",
    model_providers: {
      // The proxy is the only way out: it has the key, and repeats nothing by itself.
      aicr: {
        name: "aicr",
        base_url: `${model.origin}/v1`,
        env_key: "AICR_MODEL_KEY",
        wire_api: "responses",
      },
    },
    mcp_servers: Object.fromEntries(
      servers.map(({ name, command, args, env }) => [
        name,
        {
          command,
          args: [...args],
          env: { ...env },
          // An optional server has a second to come up; then the model is asked without it.
          required: true,
          startup_timeout_sec: 20,
          default_tools_approval_mode: "approve",
        },
      ]),
    ),
    features: {
      shell_tool: false,
      unified_exec: false,
      plugins: false,
      remote_plugin: false,
      hooks: false,
      apps: false,
    },
    agents: { enabled: false },
    analytics: { enabled: false },
    check_for_update_on_startup: false,
    history: { persistence: "none" },
  });
}

function readCodexStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    const item = objectIn(event["item"]);
    switch (event["type"]) {
      case "item.started":
      case "item.completed":
        if (item["type"] === "mcp_tool_call")
          notes.call(textIn(item["id"]), textIn(item["tool"]), argumentsOf(item["arguments"]));
        else if (item["type"] === "agent_message") notes.say(textIn(item["text"]));
        return;
      case "turn.completed": {
        const usage = objectIn(event["usage"]);
        notes.addUsage(countIn(usage["input_tokens"]), countIn(usage["output_tokens"]));
        return;
      }
      case "turn.failed":
        notes.fault(textIn(objectIn(event["error"])["message"]));
        return;
      case "error":
        notes.fault(textIn(event["message"]));
        return;
    }
  });
}

/** Some versions write them as the text that the model gave. */
function argumentsOf(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
