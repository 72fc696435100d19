// Goose: its tool servers are named on its command line, by starters whose names need no quoting.
import { posix } from "node:path";
import type { StreamReading, ToolServer } from "./adapter.ts";
import type { CommandLine } from "./command-line.ts";
import { countIn, createStreamNotes, listIn, objectIn, textIn } from "./stream-notes.ts";

export const goose: CommandLine = {
  kind: "goose",
  title: "Goose",
  program: "goose",
  install: "npm install -g @aaif/goose",
  capabilities: {
    tools: "mcp-stdio",
    names: "underscore",
    endpoints: ["openai-compatible"],
    tellsTools: true,
    tellsUsage: true,
    boundsTurns: true,
    // Without a profile it has no tools beside those of the servers.
    isDisarmable: true,
    ignoresRepositorySettings: true,
    isQuiet: true,
  },
  async prepare({ home, write, servers, model, view, turns, asked, further }) {
    const extensions: string[] = [];
    for (const [index, server] of servers.entries()) {
      const path = await write(`servers/${server.name}.mjs`, starter(server));
      // It names a server after the first word, and keeps one of each name.
      const first = index === 0 ? "node" : "env node";
      // It splits this at spaces; seen from its working directory the path has none.
      extensions.push("--with-extension", `${first} ${posix.relative(view.paths.agent, path)}`);
    }
    const given = asked.stdin === undefined ? ["-t", asked.argument] : ["-i", "-"];
    return {
      args: [
        "run",
        "--no-session",
        "--no-profile",
        ...extensions,
        "--output-format",
        "stream-json",
        ...(turns === undefined ? [] : ["--max-turns", String(turns)]),
        ...further,
        ...given,
      ],
      env: {
        GOOSE_PROVIDER: "openai",
        OPENAI_HOST: model.origin,
        OPENAI_API_KEY: model.placeholderKey,
        GOOSE_MODEL: model.id,
        GOOSE_CONTEXT_LIMIT: String(model.contextTokens),
        GOOSE_MODE: "auto",
        GOOSE_DISABLE_KEYRING: "1",
        CONTEXT_FILE_NAMES: '["none"]',
        XDG_CONFIG_HOME: `${home}/.config`,
        XDG_DATA_HOME: `${home}/.local/share`,
        XDG_STATE_HOME: `${home}/.local/state`,
        XDG_CACHE_HOME: `${home}/.cache`,
      },
    };
  },
  read: readGooseStream,
};

/** A program that becomes the server, with its arguments and its environment whatever characters they hold. */
function starter({ command, args, env }: ToolServer): string {
  return `import { spawn } from "node:child_process";
const { command, args, env } = ${JSON.stringify({ command, args, env })};
const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: "inherit" });
child.once("exit", (code) => process.exit(code ?? 1));
child.once("error", () => process.exit(1));
`;
}

function readGooseStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    switch (event["type"]) {
      case "message": {
        const message = objectIn(event["message"]);
        if (message["role"] !== "assistant") return;
        for (const part of listIn(message["content"])) {
          const call = objectIn(objectIn(part["toolCall"])["value"]);
          if (part["type"] === "toolRequest") notes.call(textIn(part["id"]), textIn(call["name"]), call["arguments"]);
          else if (part["type"] === "text") notes.continue(textIn(part["text"]));
        }
        return;
      }
      case "complete":
        notes.setUsage(countIn(event["input_tokens"]), countIn(event["output_tokens"]));
        return;
      case "error":
        notes.fault(textIn(event["error"]));
        return;
    }
  });
}
