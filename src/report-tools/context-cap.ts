// Cuts a context answer to its cap at a line's end, so that no line is shown in part unless a single one is too long.
import type { FetchedContext } from "../ports/vcs.ts";
import { caps } from "./limits.ts";

/** The context with at most 256 KiB of text; `truncated` says that there is more. */
export function capContext(context: FetchedContext): FetchedContext {
  if (Buffer.byteLength(context.text) <= caps.contextBytes) return context;
  const kept = Buffer.from(context.text).subarray(0, caps.contextBytes);
  const lastLineEnd = kept.lastIndexOf(0x0a);
  const text = lastLineEnd > 0 ? kept.subarray(0, lastLineEnd + 1).toString("utf8") : wholeCharacters(kept);
  return { ...context, text, truncated: true };
}

/** The text without a character that was cut in two at the end. */
function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder("utf-8").decode(bytes, { stream: true });
}
