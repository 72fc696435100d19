// Collects what agents tell in JSON lines, whatever their form: calls of tools, closing words, tokens, faults.
import type { ToolEvent } from "../ports/agent.ts";
import { normalizeToolName } from "../report-tools/names.ts";
import type { StreamFindings, StreamReading } from "./adapter.ts";
import { createJsonLines } from "./json-lines.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface StreamNotes {
  /** A call of any tool, as the agent spelled it. The same id counts once. */
  call(id: string, name: string, input: unknown): void;
  /** Words of the model; the last ones are its closing text. */
  say(text: string): void;
  /** A piece that continues the words before it. */
  continue(text: string): void;
  /** Tokens of one request, which are summed, or of all of them. */
  addUsage(inputTokens: number, outputTokens: number): void;
  setUsage(inputTokens: number, outputTokens: number): void;
  version(text: string): void;
  fault(text: string): void;
}

/** Most calls that are kept: one agent made 10,000 of them. */
const MOST_CALLS = 2_000;
const MOST_NAMES = 100;
const LONGEST_NAME = 256;
const LONGEST_TEXT = 16 * 1024;

/** @param onObject told each JSON object of the stream. It throws nothing, whatever is in there. */
export function createStreamNotes(
  onProgress: (note: string) => void,
  onObject: (event: JsonObject, notes: StreamNotes) => void,
): StreamReading {
  const toolEvents: ToolEvent[] = [];
  const ids = new Set<string>();
  const seen = new Map<string, number>();
  let text = "";
  let isOpen = false;
  let usage: { inputTokens: number; outputTokens: number } | undefined;
  let version: string | undefined;
  let fault: string | undefined;

  const notes: StreamNotes = {
    call(id, name, input) {
      isOpen = false;
      const spelled = name.slice(0, LONGEST_NAME);
      if (spelled === "" || ids.has(id) || ids.size >= MOST_CALLS) return;
      ids.add(id);
      if (seen.has(spelled) || seen.size < MOST_NAMES) seen.set(spelled, (seen.get(spelled) ?? 0) + 1);
      const tool = normalizeToolName(name);
      if (tool === null) return;
      toolEvents.push({ id, name: tool, input });
      onProgress(tool);
    },
    say(said) {
      isOpen = false;
      if (said.trim() !== "") text = said.slice(-LONGEST_TEXT);
    },
    continue(piece) {
      text = (isOpen ? text + piece : piece).slice(-LONGEST_TEXT);
      isOpen = true;
    },
    addUsage(inputTokens, outputTokens) {
      usage = {
        inputTokens: (usage?.inputTokens ?? 0) + inputTokens,
        outputTokens: (usage?.outputTokens ?? 0) + outputTokens,
      };
    },
    setUsage(inputTokens, outputTokens) {
      usage = { inputTokens, outputTokens };
    },
    version(told) {
      version = told.slice(0, 100);
    },
    fault(told) {
      fault = told.slice(0, 1_000);
    },
  };

  const lines = createJsonLines((event) => onObject(event, notes));
  return {
    add: (chunk) => lines.add(chunk),
    end(): StreamFindings {
      lines.end();
      return {
        finalText: text.trim(),
        toolEvents,
        toolsSeen: Object.fromEntries(seen),
        ...(usage === undefined ? {} : { usage }),
        ...(version === undefined ? {} : { version }),
        ...(fault === undefined ? {} : { fault }),
      };
    },
  };
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

export function objectIn(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}
