// How a pass ended: read from its tools, its model and its bounds; never from what its program thinks of itself.
import type { PassResult } from "../ports/agent.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { SandboxExit } from "../ports/sandbox.ts";
import type { StreamFindings } from "./adapter.ts";
import type { ProxyUsage } from "./proxy/spending.ts";

export interface Evidence {
  readonly exit: SandboxExit;
  readonly findings: StreamFindings;
  /** Whether its client asked the tool server for the list of tools. */
  readonly isConnected: boolean;
  /** What the model proxy counted, where there is one. */
  readonly usage: ProxyUsage | undefined;
  /** The limit of silence that held, ms. */
  readonly idleMs: number;
  readonly redactor: Redactor;
}

/** Most bytes of stderr that are kept as diagnostics. */
const SAID_BYTES = 4_096;

/** A pass without its tools, or one whose model never said a word, has failed even if its program ended with 0. */
export function verdict(evidence: Evidence): PassResult {
  const { exit, findings, usage } = evidence;
  const known = {
    ...(findings.finalText === undefined ? {} : { finalText: findings.finalText }),
    ...(findings.toolEvents === undefined ? {} : { toolEvents: findings.toolEvents }),
    ...usageOf(findings, usage),
  };
  switch (exit.reason) {
    case "cancelled":
      return failed("cancelled", "It was cancelled.");
    case "timeout":
      return failed("timeout", "It was ended at its time limit.");
    case "idle":
      return failed("timeout", `It was silent for ${Math.round(evidence.idleMs / 1_000)} seconds.`);
    case "memory_exceeded":
      return failed("failed", "It took more memory than it may have.");
    case "processes_exceeded":
      return failed("failed", "It started more processes than it may have.");
    case "output_exceeded":
      return failed("failed", "It wrote more output than it may.");
    case "spawn_failed":
      return failed("failed", "It could not be started.");
    case "exited":
      if (!evidence.isConnected) return failed("failed", "It never connected to its tools.");
      if (usage !== undefined && usage.outputTokens === 0) return failed("failed", "Its model never answered.");
      return exit.code === 0 ? { ...known, exit: "ok" } : failed("failed", `It ended with code ${exit.code}.`);
  }

  function failed(as: PassResult["exit"], why: string): PassResult {
    const said = exit.stderr.subarray(-SAID_BYTES).toString("utf8").trim();
    const text = [why, findings.fault, said].filter((part) => part !== undefined && part !== "").join(" ");
    return { ...known, exit: as, diagnostics: evidence.redactor.redact(text) };
  }
}

/** The proxy has seen every request; what an agent says of itself counts only where there is none. */
function usageOf(findings: StreamFindings, usage: ProxyUsage | undefined): Pick<PassResult, "usage"> {
  if (usage === undefined) return findings.usage === undefined ? {} : { usage: findings.usage };
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, requests, cost } = usage;
  const tokens = { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, requests };
  return { usage: cost > 0 ? { ...tokens, money: cost } : tokens };
}
