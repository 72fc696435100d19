// The JSON lines of Claude Code, which Qwen Code writes as well: an init event, messages in blocks, a result.
import type { StreamReading } from "./adapter.ts";
import { countIn, createStreamNotes, type JsonObject, listIn, objectIn, textIn } from "./stream-notes.ts";

export function readClaudeStream(onProgress: (note: string) => void): StreamReading {
  return createStreamNotes(onProgress, (event, notes) => {
    switch (event["type"]) {
      case "system": {
        if (event["subtype"] !== "init") return;
        const version = event["claude_code_version"] ?? event["qwen_code_version"];
        if (typeof version === "string") notes.version(version);
        const absent = listIn(event["mcp_servers"]).filter(({ status }) => status !== "connected");
        if (absent.length > 0) notes.fault(`Tool servers are not connected: ${absent.map(serverText).join(", ")}.`);
        return;
      }
      case "assistant":
        for (const block of listIn(objectIn(event["message"])["content"])) {
          if (block["type"] === "tool_use") notes.call(textIn(block["id"]), textIn(block["name"]), block["input"]);
          else if (block["type"] === "text") notes.say(textIn(block["text"]));
        }
        return;
      case "result": {
        const usage = objectIn(event["usage"]);
        const cached = countIn(usage["cache_read_input_tokens"]) + countIn(usage["cache_creation_input_tokens"]);
        // Qwen counts what it had in its cache among the input; Claude beside it.
        const input = countIn(usage["input_tokens"]);
        const total = usage["total_tokens"];
        const isBeside = typeof total !== "number";
        notes.setUsage(isBeside ? input + cached : input, countIn(usage["output_tokens"]));
        if (event["is_error"] === true) notes.fault(resultFault(event));
        else notes.say(textIn(event["result"]));
        return;
      }
    }
  });
}

function serverText(server: JsonObject): string {
  return `${textIn(server["name"])} (${textIn(server["status"])})`.slice(0, 100);
}

function resultFault(event: JsonObject): string {
  const said = textIn(event["result"]) || textIn(objectIn(event["error"])["message"]);
  return [textIn(event["subtype"]), said].filter((part) => part !== "").join(": ");
}
