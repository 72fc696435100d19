// Gemini CLI without a terminal: a home of its own, its own tools excluded by name, and nothing read from the repository's files.
import type { StreamReading } from "./adapter.ts";
import type { CommandLine, CommandLineSetup } from "./command-line.ts";
import { countIn, createStreamNotes, objectIn, textIn } from "./stream-notes.ts";

export const gemini: CommandLine = {
  kind: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["google"],
    tellsTools: true,
    tellsUsage: true,
    boundsTurns: true,
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare(setup) {
    const { home, write, servers, model, asked, further } = setup;
    await write("gemini/.gemini/settings.json", settingsJson(setup));
    return {
      args: [
        // What it is asked goes behind what it reads from stdin.
        "-p",
        asked.stdin === undefined ? asked.argument : "Do what is asked above.",
        "-m",
        model.id,
        "--output-format",
        "stream-json",
        "--skip-trust",
        "-e",
        "none",
        ...servers.flatMap(({ name }) => ["--allowed-mcp-server-names", name]),
        // No --include-directories: of folders that it names, their GEMINI.md is obeyed, whatever the settings say.
        ...further,
      ],
      env: {
        GEMINI_CLI_HOME: `${home}/gemini`,
        GOOGLE_GEMINI_BASE_URL: model.origin,
        GEMINI_API_KEY: model.placeholderKey,
        GEMINI_CLI_NO_RELAUNCH: "true",
      },
    };
  },
  read: readGeminiStream,
};

/** Named one by one: any list of what is allowed instead takes away the tools of every server. */
const excludedTools = [
  "run_shell_command",
  "write_file",
  "replace",
  "web_fetch",
  "google_web_search",
  "save_memory",
  "ask_user",
  "activate_skill",
  "enter_plan_mode",
  "exit_plan_mode",
  "invoke_agent",
];

function settingsJson({ servers, turns }: CommandLineSetup): string {
  const settings = {
    mcpServers: Object.fromEntries(
      servers.map(({ name, command, args, env }) => [name, { command, args, env, trust: true, timeout: 120_000 }]),
    ),
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    tools: { exclude: excludedTools },
    // No file of a repository has this name, so that none is taken for instructions.
    context: { fileName: "aicr-no-such-instructions.md", loadMemoryFromIncludeDirectories: false },
    ...(turns === undefined ? {} : { model: { maxSessionTurns: turns } }),
    hooksConfig: { enabled: false },
    skills: { enabled: false },
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function readGeminiStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    switch (event["type"]) {
      case "message":
        if (event["role"] !== "assistant") return;
        if (event["delta"] === true) notes.continue(textIn(event["content"]));
        else notes.say(textIn(event["content"]));
        return;
      case "tool_use":
        notes.call(textIn(event["tool_id"]), textIn(event["tool_name"]), event["parameters"]);
        return;
      case "error":
        notes.fault(textIn(event["message"]));
        return;
      case "result": {
        const stats = objectIn(event["stats"]);
        notes.setUsage(countIn(stats["input_tokens"]), countIn(stats["output_tokens"]));
        if (event["status"] === "error") notes.fault(textIn(objectIn(event["error"])["message"]));
        return;
      }
    }
  });
}
