// The adapters of known command lines, by the kind of agent that the configuration names.
import type { Adapter } from "./adapter.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { type CommandLine, createCommandLineAdapter } from "./command-line.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { goose } from "./goose.ts";
import { kilo } from "./kilo.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";

export const commandLines: readonly CommandLine[] = [claudeCode, codex, opencode, kilo, gemini, qwen, copilot, goose];

/** What the configuration says of an agent, as far as its adapter is concerned. */
export interface AdapterChoice {
  readonly kind: string;
  readonly program?: string;
  readonly arguments: readonly string[];
  readonly reads: readonly string[];
  /** Names of the bot's variables that the program gets. */
  readonly env: readonly string[];
}

/**
 * @param env the bot's own environment: its PATH is searched, and the named variables are taken from it.
 * @returns null for a kind that is no known command line.
 */
export function adapterFor(choice: AdapterChoice, env: Readonly<Record<string, string | undefined>>): Adapter | null {
  const line = commandLines.find(({ kind }) => kind === choice.kind);
  if (line === undefined) return null;
  const given = choice.env.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return createCommandLineAdapter(line, {
    ...(choice.program === undefined ? {} : { program: choice.program }),
    arguments: choice.arguments,
    reads: choice.reads,
    env: Object.fromEntries(given),
    searched: env["PATH"] ?? "",
  });
}
