// Takes from a request what would let the provider reach elsewhere on the agent's behalf: that would be a way out of the sandbox.
import type { Operation } from "./operations.ts";

export type JsonObject = { readonly [key: string]: unknown };

export type Disarmed =
  | { readonly kind: "ok"; readonly body: JsonObject; readonly stripped: readonly string[] }
  /** Names where the address stands that the provider would fetch. */
  | { readonly kind: "fetches"; readonly where: string };

/** Top-level fields that connect the provider to servers, files and searches. */
const reaching: Readonly<Record<Operation["form"], readonly string[]>> = {
  "openai-chat": ["web_search_options", "search_parameters", "plugins"],
  // A stored answer could be read, or run on in the background, outside of any budget.
  "openai-responses": ["background", "prompt"],
  anthropic: ["mcp_servers", "container"],
  google: ["cachedContent", "cached_content"],
};

/** Tools that the agent itself carries out, so that the sandbox bounds them. Every other tool is run by the provider. */
function isAgentsOwn(form: Operation["form"], tool: unknown): boolean {
  if (!isObject(tool)) return false;
  const { type } = tool;
  switch (form) {
    case "openai-chat":
      return type === "function" || type === "custom";
    case "openai-responses":
      if (type === "namespace")
        return Array.isArray(tool["tools"]) && tool["tools"].every((one) => isAgentsOwn(form, one));
      return type === "function" || type === "custom" || type === "local_shell" || type === "apply_patch";
    case "anthropic":
      return type === undefined || type === "custom" || /^(?:bash|text_editor|memory)_\d+$/.test(String(type));
    case "google":
      return Object.keys(tool).every((key) => key === "functionDeclarations" || key === "function_declarations");
  }
}

/** @param body a whole request, as it was parsed. */
export function disarm(form: Operation["form"], body: JsonObject): Disarmed {
  const where = findFetch(body, "");
  if (where !== null) return { kind: "fetches", where };
  const stripped = reaching[form].filter((name) => name in body);
  const rest = Object.entries(body).filter(([name]) => !stripped.includes(name));
  const kept = rest.map(([name, value]) => {
    if (name !== "tools" || !Array.isArray(value)) return [name, value];
    const own = value.filter((tool) => isAgentsOwn(form, tool));
    if (own.length < value.length) stripped.push(...value.filter((tool) => !own.includes(tool)).map(nameOf));
    return [name, own];
  });
  return { kind: "ok", body: Object.fromEntries(kept) as JsonObject, stripped };
}

function nameOf(tool: unknown): string {
  if (!isObject(tool)) return "tool";
  const named = tool["type"] ?? tool["name"] ?? Object.keys(tool).join("+");
  return String(named).slice(0, 60);
}

/** Deeper than any message of a client; what lies deeper is refused as if it fetched. */
const deepest = 40;

/**
 * Looks for parts whose content the provider would fetch from an address: images and documents by URL. Texts may hold addresses,
 * and so may the arguments and results of tools; only the places where providers read one count.
 */
function findFetch(value: unknown, at: string, depth = 0): string | null {
  if (depth > deepest) return at;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = findFetch(item, `${at}[${index}]`, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isObject(value)) return null;
  if (isFetch(value)) return at === "" ? "the request" : at;
  for (const [key, item] of Object.entries(value)) {
    if (isData(key) || (key === "input" && value["type"] === "tool_use")) continue;
    const found = findFetch(item, at === "" ? key : `${at}.${key}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** What models and tools say to each other in JSON, and the schemas of tools: data, of which providers fetch nothing. */
function isData(key: string): boolean {
  return /^(?:input_schema|parameters|parametersJsonSchema|args|arguments|response|functionDeclarations|response_format|text)$/.test(
    key,
  );
}

function isFetch(part: JsonObject): boolean {
  const isRemote = (url: unknown): boolean => typeof url === "string" && !/^data:/i.test(url);
  const { type } = part;
  if (type === "image_url" || type === "input_image" || type === "video_url" || type === "audio_url") {
    const image = part[type === "input_image" ? "image_url" : type];
    return isRemote(isObject(image) ? image["url"] : image);
  }
  if (type === "input_file" || type === "file") return isRemote(part["file_url"]);
  // Anthropic's sources: `url` is fetched, `base64` and `text` are there already.
  if (type === "url") return isRemote(part["url"]);
  const file = part["fileData"] ?? part["file_data"];
  return isObject(file) && isRemote(file["fileUri"] ?? file["file_uri"]);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
