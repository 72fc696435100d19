// What OpenCode and Kilo share, the latter being made of the former: one configuration, one set of arguments, one stream.
import type { StreamReading } from "./adapter.ts";
import type { CommandLine, CommandLineSetup } from "./command-line.ts";
import { countIn, createStreamNotes, objectIn, textIn } from "./stream-notes.ts";

export interface OpenCodeLine extends Pick<CommandLine, "kind" | "title" | "program" | "install"> {
  /** Begins the names of its variables: OPENCODE or KILO. */
  readonly prefix: string;
  /** What turns its telemetry and its look-ups off. */
  readonly quiet: Readonly<Record<string, string>>;
  /** Whether these turn off all of them. */
  readonly isQuiet: boolean;
}

export function createOpenCodeLine(line: OpenCodeLine): CommandLine {
  const { kind, title, program, install, prefix } = line;
  return {
    kind,
    title,
    program,
    install,
    capabilities: {
      tools: "mcp-stdio",
      names: "underscore",
      endpoints: ["openai-compatible"],
      tellsTools: true,
      tellsUsage: true,
      boundsTurns: true,
      isDisarmable: true,
      ignoresRepositorySettings: true,
      isQuiet: line.isQuiet,
    },
    async prepare(setup) {
      const { home, write, view, model, asked, further } = setup;
      const config = await write("config.json", configJson(setup));
      return {
        args: [
          "run",
          "--auto",
          "--pure",
          "--format",
          "json",
          "--model",
          `${PROVIDER}/${model.id}`,
          "--title",
          "review",
          "--dir",
          view.paths.agent,
          ...further,
          // What is long comes on stdin, which it reads to its end in any case.
          ...(asked.stdin === undefined ? [asked.argument] : []),
        ],
        env: {
          [`${prefix}_CONFIG`]: config,
          [`${prefix}_DISABLE_PROJECT_CONFIG`]: "1",
          [`${prefix}_DISABLE_AUTOUPDATE`]: "1",
          [`${prefix}_DISABLE_MODELS_FETCH`]: "1",
          [`${prefix}_DISABLE_CLAUDE_CODE`]: "1",
          [`${prefix}_DISABLE_LSP_DOWNLOAD`]: "1",
          ...line.quiet,
          AICR_MODEL_KEY: model.placeholderKey,
          XDG_CONFIG_HOME: `${home}/.config`,
          XDG_DATA_HOME: `${home}/.local/share`,
          XDG_CACHE_HOME: `${home}/.cache`,
          XDG_STATE_HOME: `${home}/.local/state`,
        },
      };
    },
    read: readOpenCodeStream,
  };
}

const PROVIDER = "aicr";

function configJson({ servers, model, view, turns }: CommandLineSetup): string {
  const config = {
    provider: {
      [PROVIDER]: {
        npm: "@ai-sdk/openai-compatible",
        name: PROVIDER,
        options: { baseURL: `${model.origin}/v1`, apiKey: "{env:AICR_MODEL_KEY}" },
        models: {
          [model.id]: {
            name: model.id,
            tool_call: true,
            limit: { context: model.contextTokens, output: model.maxOutputTokens },
          },
        },
      },
    },
    enabled_providers: [PROVIDER],
    model: `${PROVIDER}/${model.id}`,
    small_model: `${PROVIDER}/${model.id}`,
    mcp: Object.fromEntries(
      servers.map(({ name, command, args, env }) => [
        name,
        { type: "local", command: [command, ...args], environment: env, enabled: true, timeout: 15_000 },
      ]),
    ),
    permission: {
      edit: "deny",
      bash: "deny",
      webfetch: "deny",
      websearch: "deny",
      task: "deny",
      // The last rule that fits holds.
      external_directory: {
        "*": "deny",
        [`${view.paths.source}/*`]: "allow",
        [`${view.paths.base}/*`]: "allow",
      },
    },
    ...(turns === undefined ? {} : { agent: { build: { steps: turns } } }),
    share: "disabled",
    snapshot: false,
    autoupdate: false,
    lsp: false,
    formatter: false,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function readOpenCodeStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    const part = objectIn(event["part"]);
    switch (event["type"]) {
      case "tool_use":
        notes.call(textIn(part["callID"]), textIn(part["tool"]), objectIn(part["state"])["input"]);
        return;
      case "text":
        notes.say(textIn(part["text"]));
        return;
      case "step_finish": {
        const tokens = objectIn(part["tokens"]);
        const cache = objectIn(tokens["cache"]);
        notes.addUsage(
          countIn(tokens["input"]) + countIn(cache["read"]) + countIn(cache["write"]),
          countIn(tokens["output"]) + countIn(tokens["reasoning"]),
        );
        return;
      }
      case "error": {
        const error = objectIn(event["error"]);
        notes.fault(textIn(objectIn(error["data"])["message"]) || textIn(error["name"]));
        return;
      }
    }
  });
}
