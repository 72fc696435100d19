// Decides who hears what of a finished review, and says why where nobody does (CONTRACT §B).
import type { DeliveryFacts } from "./delivery.ts";
import { type AssessedProblem, compareSeverity, type Severity } from "./problem.ts";
import type { Report } from "./report.ts";
import type { NoProblemsPolicy, SubscriptionMode } from "./subscription.ts";

/** What came out of a review, as far as silence is concerned. */
export type Verdict = { readonly kind: "report"; readonly report: Report } | { readonly kind: "failed" };

/** Someone who may hear of it: a subscribed conversation, the person who asked, or the operators. */
export type Listener =
  | {
      readonly kind: "subscription";
      readonly mode: SubscriptionMode;
      readonly severity: Severity;
      readonly noProblems: NoProblemsPolicy;
    }
  | { readonly kind: "asker" }
  /** The conversation of those who run the bot: it hears of feeds' reviews that failed, and of nothing else. */
  | { readonly kind: "operators" };

export interface SilenceInput {
  readonly verdict: Verdict;
  readonly listener: Listener;
  /** Fingerprints that this conversation has been shown and that are still open. */
  readonly shown: ReadonlySet<string>;
  /** Fingerprints that somebody dismissed. */
  readonly dismissed: ReadonlySet<string>;
  /** Fingerprints that this review resolved and that this conversation has been shown. */
  readonly resolved: readonly string[];
  /** Fingerprints shown earlier and still open that this review had no reason to speak of; they only count. */
  readonly alsoOpen?: readonly string[];
}

export type Decision =
  | { readonly say: "report"; readonly facts: DeliveryFacts }
  | { readonly say: "answer" | "failure" | "audit"; readonly facts: DeliveryFacts }
  | { readonly say: "nothing"; readonly reason: string };

export function decide(input: SilenceInput): readonly Decision[] {
  const { listener, verdict } = input;
  if (verdict.kind === "failed") return [failed(listener)];
  if (listener.kind === "operators") return [{ say: "nothing", reason: "not_failed" }];
  const { report } = verdict;
  const audible = audibleProblems(report, listener, input.dismissed);
  const facts = factsOf(audible, input);
  const audit: Decision[] =
    listener.kind === "subscription" && listener.mode === "audit" ? [{ say: "audit", facts }] : [];
  if (audible.shown.length > 0) {
    const editOnly = (facts.fresh ?? []).length === 0;
    if (editOnly && audit.length > 0) return audit;
    const card: Decision = { say: "report", facts: { ...facts, ...(editOnly ? { editOnly } : {}) } };
    return [card, ...audit];
  }
  if (listener.kind === "asker") return [{ say: "answer", facts }];
  // What was shown and is resolved now is corrected where it stands: that is no new message.
  const corrected: Decision[] =
    input.resolved.length > 0 ? [{ say: "report", facts: { ...facts, editOnly: true } }] : [];
  if (audit.length > 0) return [...corrected, ...audit];
  const unasked = unreported(report, listener.noProblems, facts);
  return unasked.say === "nothing" && corrected.length > 0 ? corrected : [unasked];
}

function failed(listener: Listener): Decision {
  if (listener.kind !== "subscription") return { say: "failure", facts: {} };
  if (listener.mode === "audit") return { say: "audit", facts: {} };
  return { say: "nothing", reason: "failed" };
}

function unreported(report: Report, policy: NoProblemsPolicy, facts: DeliveryFacts): Decision {
  if (report.outcome === "skipped") return { say: "nothing", reason: report.reason };
  const speaks = policy === "publish" || (policy === "publish_if_summary" && report.summaries.length > 0);
  return speaks ? { say: "report", facts } : { say: "nothing", reason: "no_problems_suppressed" };
}

interface Audible {
  readonly shown: readonly AssessedProblem[];
  readonly belowFloor: number;
}

function audibleProblems(report: Report, listener: Listener, dismissed: ReadonlySet<string>): Audible {
  if (report.outcome !== "reported") return { shown: [], belowFloor: 0 };
  const wanted = report.problems.filter((assessed) => !dismissed.has(assessed.fingerprint));
  const floor = listener.kind === "subscription" ? listener.severity : "info";
  const shown = wanted.filter((assessed) => compareSeverity(assessed.problem.severity, floor) >= 0);
  return { shown, belowFloor: wanted.length - shown.length };
}

function factsOf(audible: Audible, input: SilenceInput): DeliveryFacts {
  const fingerprints = audible.shown.map((assessed) => assessed.fingerprint);
  return {
    fresh: fingerprints.filter((fingerprint) => !input.shown.has(fingerprint)),
    stillOpen: [...fingerprints.filter((fingerprint) => input.shown.has(fingerprint)), ...(input.alsoOpen ?? [])],
    resolved: input.resolved,
    belowFloor: audible.belowFloor,
  };
}
