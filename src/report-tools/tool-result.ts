// Makes tool results: an accepted one says the same as text and as structure, a refused one is a text that teaches.
import type { ToolResult } from "../ports/tool.ts";

export function accept(answer: Readonly<Record<string, unknown>>): ToolResult {
  return { text: JSON.stringify(answer), structured: answer, isError: false };
}

export function refuse(reason: string): ToolResult {
  return { text: reason, isError: true };
}
