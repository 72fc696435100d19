// What a model reads of a tool's result: its text, and no more of it than is worth its tokens.
import { countTokens } from "../prompt/count-tokens.ts";

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** Most of one result that goes back to the model, tokens. */
const RESULT_TOKENS = 8_000;

/** What the model gets to read of it. */
export function shownResult({ isError, text }: ToolAnswer): string {
  return capped(isError ? `Refused: ${text}` : text);
}

/** The text of a result; the same in a structured form would cost its tokens twice. */
export function readResult(result: unknown): ToolAnswer {
  if (typeof result !== "object" || result === null) return { isError: false, text: String(result) };
  const { content, isError } = result as { content?: unknown; isError?: unknown };
  const text = Array.isArray(content)
    ? content
        .map((part: unknown) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
        .join("\n")
    : "";
  return { isError: isError === true, text };
}

/** The beginning of a text that costs too much, with a sentence about the rest. */
function capped(text: string): string {
  if (countTokens(text) <= RESULT_TOKENS) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= RESULT_TOKENS) low = middle;
    else high = middle - 1;
  }
  const kept = text.slice(0, low).replace(/[\uD800-\uDBFF]$/u, "");
  return `${kept}\n…(cut: ${text.length - kept.length} more characters. Ask for a smaller range of lines.)`;
}
