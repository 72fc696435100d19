// Qwen Code without a terminal: its tools are hidden behind a search of its own, so that its prompt gives their exact names.
import { listedName, serverName, toolNames } from "../report-tools/names.ts";
import { readClaudeStream } from "./claude-stream.ts";
import { mcpServersJson } from "./command.ts";
import type { CommandLine } from "./command-line.ts";

export const qwen: CommandLine = {
  kind: "qwen",
  title: "Qwen Code",
  program: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["openai-compatible"],
    tellsTools: true,
    tellsUsage: true,
    boundsTurns: true,
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare({ home, write, servers, model, view, turns, asked, further }) {
    await write("qwen/settings.json", settingsJson);
    const config = await write("mcp.json", mcpServersJson(servers));
    const given = asked.stdin === undefined ? [asked.argument, howToFindTools] : [howToFindTools];
    return {
      args: [
        "-p",
        given.join("\n\n"),
        "--auth-type",
        "openai",
        "-m",
        model.id,
        "--mcp-config",
        config,
        ...servers.flatMap(({ name }) => ["--allowed-mcp-server-names", name]),
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--exclude-tools",
        "run_shell_command,edit,write_file,web_fetch,web_search,save_memory,agent,task,skill",
        ...[view.paths.source, view.paths.base].flatMap((folder) =>
          folder.includes(",") ? [] : ["--include-directories", folder],
        ),
        ...(turns === undefined ? [] : ["--max-session-turns", String(turns)]),
        ...further,
      ],
      env: {
        QWEN_HOME: `${home}/qwen`,
        OPENAI_API_KEY: model.placeholderKey,
        OPENAI_BASE_URL: `${model.origin}/v1`,
        OPENAI_MODEL: model.id,
      },
    };
  },
  read: readClaudeStream,
};

const settingsJson = `${JSON.stringify(
  {
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    context: { fileName: ["aicr-no-such-instructions.md"], loadFromIncludeDirectories: false },
  },
  null,
  2,
)}\n`;

/** As it names the tools of a server. */
const exactNames = toolNames.map((name) => `mcp__${serverName}__${listedName(name, "underscore")}`);

const howToFindTools = `The tools for reporting may be hidden. If you cannot see them, call tool_search first, with "select:${exactNames.join(",")}".`;
