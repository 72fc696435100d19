// Answers an agent's requests for source and blame, always at the reviewed revision.
import type { Change } from "../core/change.ts";
import { AppError } from "../core/errors.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { FetchedContext, Vcs } from "../ports/vcs.ts";
import type { ContextResolver, LookUpQuestion } from "../report-tools/resolver-protocol.ts";
import { maskLines } from "./mask-lines.ts";

/** The most text one answer carries (CONTRACT §A), bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;
const DEADLINE_MS = 30_000;

/** Keeps a whole file that was fetched, for the agent's later reads. */
export type KeepFetched = (context: FetchedContext) => Promise<void>;

/** @param redactor masks secrets in what is given to agents, and so in what is kept for them. */
export function createAnswerContext(vcs: Vcs, change: Change, keep: KeepFetched, redactor: Redactor): ContextResolver {
  const revision = change.head.canonical;
  const requestOf = ({ path, lines }: LookUpQuestion) => ({
    revision,
    path,
    ...(lines === undefined ? {} : { lines }),
  });
  return {
    async context(question, signal) {
      try {
        const limits = { signal, deadlineMs: DEADLINE_MS, maxBytes: MAX_ANSWER_BYTES };
        const context = masked(await vcs.fetchExtraContext(requestOf(question), limits), redactor);
        if (!context.truncated && question.lines === undefined) await keep(context).catch(() => {});
        return { kind: "answered", context };
      } catch (thrown) {
        return refusal(thrown);
      }
    },
    async attribution(question, signal) {
      try {
        const found = await vcs.fetchAttribution(requestOf(question), { signal, deadlineMs: DEADLINE_MS });
        const entries = found.entries.map(({ summary, ...entry }) => ({
          ...entry,
          ...(summary === undefined ? {} : { summary: redactor.redact(summary) }),
        }));
        return { kind: "answered", attribution: { ...found, entries } };
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.code === "unsupported") {
          return { kind: "answered", attribution: { path: question.path, status: "not_found", entries: [] } };
        }
        return refusal(thrown);
      }
    },
  };
}

function masked(context: FetchedContext, redactor: Redactor): FetchedContext {
  return { ...context, text: maskLines(context.text.split("\n"), redactor).join("\n") };
}

/** What is wrong with the path is the agent's to know, and final; an outage leaves the request unanswered for now. */
function refusal(thrown: unknown): { kind: "refused"; reason: string } | { kind: "unreachable" } {
  const isFinal =
    thrown instanceof AppError &&
    ["not_found", "bad_request", "forbidden", "unsupported", "too_large"].includes(thrown.code);
  return isFinal ? { kind: "refused", reason: `${thrown.message} Do not retry this path.` } : { kind: "unreachable" };
}
