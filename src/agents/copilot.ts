// Copilot offline, with a model of one's own: no account of GitHub's, no servers of its own, nothing of the repository's instructions.
import type { StreamReading } from "./adapter.ts";
import type { CommandLine } from "./command-line.ts";
import { createStreamNotes, objectIn, textIn } from "./stream-notes.ts";

export const copilot: CommandLine = {
  kind: "copilot",
  title: "Copilot",
  program: "copilot",
  install: "npm install -g @github/copilot",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["openai-compatible"],
    tellsTools: true,
    tellsUsage: false,
    boundsTurns: false,
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare({ home, write, servers, model, view, asked, further }) {
    const config = await write(
      "mcp.json",
      `${JSON.stringify({
        mcpServers: Object.fromEntries(
          servers.map(({ name, command, args, env }) => [name, { type: "local", command, args, env, tools: ["*"] }]),
        ),
      })}\n`,
    );
    return {
      args: [
        ...(asked.stdin === undefined ? ["-p", asked.argument] : []),
        "--output-format",
        "json",
        "--allow-all-tools",
        "--deny-tool",
        "shell",
        "--deny-tool",
        "write",
        "--deny-tool",
        "url",
        // What is denied is still offered to the model; what is excluded is not.
        `--excluded-tools=${excludedTools.join(",")}`,
        "--disable-builtin-mcps",
        "--additional-mcp-config",
        `@${config}`,
        "--no-custom-instructions",
        "--no-ask-user",
        "--no-auto-update",
        "--secret-env-vars=COPILOT_PROVIDER_API_KEY",
        "--add-dir",
        view.paths.source,
        "--add-dir",
        view.paths.base,
        ...further,
      ],
      env: {
        COPILOT_HOME: `${home}/copilot`,
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${model.origin}/v1`,
        COPILOT_PROVIDER_API_KEY: model.placeholderKey,
        COPILOT_MODEL: model.id,
        XDG_CONFIG_HOME: `${home}/.config`,
        XDG_STATE_HOME: `${home}/.local/state`,
        XDG_CACHE_HOME: `${home}/.cache`,
      },
    };
  },
  read: readCopilotStream,
};

const excludedTools = [
  "bash",
  "read_bash",
  "stop_bash",
  "list_bash",
  "create",
  "edit",
  "apply_patch",
  "web_fetch",
  "fetch_copilot_cli_documentation",
  "skill",
  "sql",
  "session_store_sql",
  "task",
  "read_agent",
  "list_agents",
  "write_agent",
];

function readCopilotStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    const data = objectIn(event["data"]);
    switch (event["type"]) {
      case "tool.execution_start":
        notes.call(textIn(data["toolCallId"]), textIn(data["toolName"]), data["arguments"]);
        return;
      case "assistant.message":
        notes.say(textIn(data["content"]));
        return;
      case "session.error":
        notes.fault(textIn(data["message"]));
        return;
    }
  });
}
