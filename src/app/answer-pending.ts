// Replays the requests that no resolver answered in the call, and puts the answers into the message of the follow-up pass.

import { toLines } from "../report-tools/look-up.ts";
import type { ContextResolver, LookUpQuestion } from "../report-tools/resolver-protocol.ts";
import type { LookUpRequest, RecordedState } from "../report-tools/state-file.ts";

/** Most text that one follow-up message carries, UTF-16 units; what is over it is named and left out. */
const MAX_MESSAGE = 512 * 1024;

/** Null when nothing can be answered now: then a follow-up pass would tell the agent nothing. */
export async function answerPending(
  state: RecordedState,
  answers: ContextResolver,
  signal: AbortSignal,
): Promise<string | null> {
  const parts: string[] = [];
  for (const request of distinct(state.contextRequests)) {
    const answer = await answers.context(questionOf(request), signal);
    if (answer.kind === "unreachable") continue;
    if (answer.kind === "refused") parts.push(`${request.path}: refused. ${answer.reason}`);
    else {
      const { firstLine, totalLines, truncated, text } = answer.context;
      const cut = truncated ? ", cut" : "";
      parts.push(`${request.path} (from line ${firstLine} of ${totalLines}${cut}):\n${text}`);
    }
  }
  for (const request of distinct(state.attributionRequests)) {
    const answer = await answers.attribution(questionOf(request), signal);
    if (answer.kind === "unreachable") continue;
    if (answer.kind === "refused") parts.push(`Blame of ${request.path}: refused. ${answer.reason}`);
    else parts.push(`Blame of ${request.path}: ${JSON.stringify(answer.attribution)}`);
  }
  if (parts.length === 0) return null;
  return `Answers to what you asked for:\n\n${withinBudget(parts).join("\n\n")}`;
}

function distinct(requests: readonly LookUpRequest[]): LookUpRequest[] {
  const pending = requests.filter((request) => request.outcome === "pending");
  const byQuestion = new Map(pending.map((request) => [JSON.stringify([request.path, request.range]), request]));
  return [...byQuestion.values()];
}

function questionOf(request: LookUpRequest): LookUpQuestion {
  const lines = toLines(request.range?.startLine, request.range?.endLine);
  return { path: request.path, reason: request.reason, ...(lines === undefined ? {} : { lines }) };
}

function withinBudget(parts: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MAX_MESSAGE;
  let omitted = 0;
  for (const part of parts) {
    if (part.length > left) omitted++;
    else {
      kept.push(part);
      left -= part.length;
    }
  }
  if (omitted > 0) kept.push(`${omitted} answers are left out because they are too long: ask for line ranges.`);
  return kept;
}
