// The five tools' names, and the way back from every spelling that MCP clients make of them.

export const toolNames = [
  "aicr.report_problem",
  "aicr.publish_summary",
  "aicr.skip",
  "aicr.fetch_more_context",
  "aicr.try_blame",
] as const;

export type ToolName = (typeof toolNames)[number];

/** `canonical` lists `aicr.skip`; `underscore` lists `aicr_skip`, for clients whose model endpoint rejects dots. */
export type NameForm = "canonical" | "underscore";

/** Name of the MCP server that carries the tools. */
export const serverName = "aicr-output";

// Clients put the server's (or the command's) name before the tool's and replace what their endpoint rejects, so only the end
// of a name is certain: `aicr`, then the verb's words, with any of `.`, `_` and `-` between them.
const suffix = new RegExp(
  `(?:^|[._-])aicr[._-](${toolNames.map((name) => name.slice("aicr.".length).replaceAll("_", "[._-]")).join("|")})$`,
  "i",
);

// A name is a word of a protocol; longer ones are not worth matching.
const longestName = 256;

/** The canonical name that a client's spelling stands for; null when it stands for none. */
export function normalizeToolName(name: string): ToolName | null {
  if (name.length > longestName) return null;
  const verb = suffix.exec(name.trim())?.[1];
  if (verb === undefined) return null;
  const canonical = `aicr.${verb.toLowerCase().replaceAll(/[.-]/g, "_")}`;
  return toolNames.find((candidate) => candidate === canonical) ?? null;
}

/** A tool's name as a server lists it. */
export function listedName(name: ToolName, form: NameForm): string {
  return form === "canonical" ? name : name.replace(".", "_");
}
