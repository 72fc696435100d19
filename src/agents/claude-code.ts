// Claude Code without a terminal: nothing of the machine's or the repository's settings, and no tool that runs, writes or fetches.
import type { ToolServer } from "./adapter.ts";
import { readClaudeStream } from "./claude-stream.ts";
import type { CommandLine } from "./command-line.ts";

export const claudeCode: CommandLine = {
  kind: "claude-code",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["anthropic"],
    tellsTools: true,
    tellsUsage: true,
    boundsTurns: true,
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare({ home, write, servers, model, view, turns, asked, further }) {
    const config = await write("mcp.json", serversJson(servers));
    const prompt = asked.stdin === undefined ? ["-p", asked.argument] : ["-p"];
    const readable = [view.paths.source, view.paths.base].map((folder) => `Read(/${folder}/**)`);
    return {
      args: [
        ...prompt,
        "--bare",
        "--output-format",
        "stream-json",
        "--verbose",
        "--model",
        model.id,
        "--mcp-config",
        config,
        "--strict-mcp-config",
        "--setting-sources",
        "",
        "--tools",
        "Read,Grep,Glob",
        // Not by --add-dir: of folders that it names, their CLAUDE.md is obeyed.
        "--allowedTools",
        ...servers.map(({ name }) => `mcp__${name}`),
        ...readable,
        "--no-session-persistence",
        ...(turns === undefined ? [] : ["--max-turns", String(turns)]),
        ...further,
      ],
      env: {
        ANTHROPIC_BASE_URL: model.origin,
        ANTHROPIC_API_KEY: model.placeholderKey,
        // The proxy lets no other model through.
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id,
        ANTHROPIC_SMALL_FAST_MODEL: model.id,
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(model.maxOutputTokens),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CONFIG_DIR: `${home}/.claude`,
        DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_TELEMETRY: "1",
      },
    };
  },
  read: readClaudeStream,
};

/** Without `alwaysLoad` it asks its model before a slow server is ready, and reviews without tools. */
function serversJson(servers: readonly ToolServer[]): string {
  const entries = servers.map(
    ({ name, command, args, env }) => [name, { type: "stdio", command, args, env, alwaysLoad: true }] as const,
  );
  return `${JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2)}\n`;
}
