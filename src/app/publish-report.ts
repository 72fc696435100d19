// Turns the outcome of a review into its findings and into what each listener is owed, all in one operation of the store.
import type { Change, ChangedFile } from "../core/change.ts";
import { baseName } from "../core/change.ts";
import type { ConversationRef, DeliveryFacts, PlannedDelivery, Target } from "../core/delivery.ts";
import type { AppError } from "../core/errors.ts";
import { type FindingsOutcome, type StoredFinding, settleFindings } from "../core/finding.ts";
import type { DeliveryId, FindingId, ReviewId } from "../core/ids.ts";
import type { Report } from "../core/report.ts";
import type { Review, ReviewFailure, ReviewTimings } from "../core/review.ts";
import { type Decision, decide, type Listener, type Verdict } from "../core/silence.ts";
import { matchFilters } from "../core/subscription-match.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { ClaimedJob, FinishReview, Store } from "../ports/store.ts";
import type { Restrain, Restraint } from "./restrain.ts";

export interface PublishPorts {
  readonly store: Pick<
    Store,
    "findingsByKeys" | "openFindings" | "findings" | "deliveredFindings" | "finishReview" | "kindMutes"
  >;
  readonly subscriptions: Subscriptions;
  /** Where failed reviews of feeds are shown, if anywhere beside the log. */
  readonly operators?: { readonly conversation: ConversationRef; readonly locale: string };
  /** Absent where nobody is subscribed: on the command line. */
  readonly restrain?: Restrain;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type ReviewOutcome =
  | {
      readonly kind: "report";
      readonly change: Change;
      readonly files: readonly ChangedFile[];
      readonly report: Report;
      /** Whether this review settles an open finding that it did not report again (CONTRACT §C). */
      readonly isSettled: (finding: StoredFinding) => Promise<boolean>;
      /** The earlier review that this report is taken from. */
      readonly answeredFrom?: ReviewId;
    }
  | {
      readonly kind: "failed";
      readonly error: AppError;
      readonly change?: Change;
      readonly files?: readonly ChangedFile[];
    }
  | { readonly kind: "cancelled" }
  /** What was pushed is no longer part of the repository. */
  | { readonly kind: "superseded" };

/** False when the lease was lost meanwhile: then nothing is written. */
export type PublishReport = (job: ClaimedJob, outcome: ReviewOutcome, timings: ReviewTimings) => Promise<boolean>;

/** One who may hear of the review, and where. */
interface Hearer {
  readonly listener: Listener;
  readonly target: Target;
  readonly locale: string;
  readonly restraint?: Restraint;
  /** The author of the change is to be notified of what is new. */
  readonly mentionsAuthor?: boolean;
}

export function createPublishReport(ports: PublishPorts): PublishReport {
  const { store, subscriptions, operators, clock, ids } = ports;

  return async (job, outcome, timings) => {
    const base = { job: job.id, token: job.token, review: job.review.id, timings, now: clock.now() };
    if (outcome.kind === "cancelled" || outcome.kind === "superseded") {
      return store.finishReview({ ...base, result: { status: outcome.kind }, findings: [], deliveries: [] });
    }
    const hearers = await findHearers(job.review, outcome);
    if (outcome.kind === "failed") {
      const failure = failureOf(outcome.error);
      const deliveries = hearers.flatMap((hearer) =>
        plan(job.review, hearer, undefined, decideFor(hearer, { kind: "failed" }, none, [], none)),
      );
      return store.finishReview({ ...base, result: { status: "failed", failure }, findings: [], deliveries });
    }
    const findings = await settle(job.review.repository, outcome);
    const report = withProblems(outcome.report, findings);
    const deliveries: PlannedDelivery[] = [];
    for (const hearer of hearers) {
      const { shown, resolved, alsoOpen } = await shownTo(hearer, outcome.change, report, findings);
      const silent = await silentFor(hearer, job.review.repository, report, findings.dismissed);
      const decisions = decideFor(hearer, { kind: "report", report }, silent, resolved, shown, alsoOpen);
      deliveries.push(...plan(job.review, hearer, outcome.change, decisions));
    }
    const result: FinishReview["result"] = { status: report.outcome, report };
    const { answeredFrom } = outcome;
    const source = answeredFrom === undefined ? {} : { answeredFrom };
    return store.finishReview({ ...base, ...source, result, findings: findings.updates, deliveries });
  };

  async function findHearers(
    review: Review,
    outcome: Extract<ReviewOutcome, { kind: "report" | "failed" }>,
  ): Promise<Hearer[]> {
    if (review.requester.kind === "person") {
      const { conversation, person, thread } = review.requester;
      const target = { conversation, onlyFor: person, ...(thread === undefined ? {} : { thread }) };
      return [{ listener: { kind: "asker" }, target, locale: review.locale }];
    }
    const { change, files } = outcome;
    const subscribed = await subscriptions.of(review.repository);
    const hearers: Hearer[] = [];
    for (const one of subscribed) {
      if (change !== undefined && !matchFilters(one.filters, change, files ?? []).matches) continue;
      const { conversation, mode, severity, locale } = one;
      const noProblems = one.noProblems ?? subscriptions.noProblems(review.repository);
      const restraint = (await ports.restrain?.(one)) ?? {};
      const listener: Listener = { kind: "subscription", mode, severity, noProblems };
      const mentionsAuthor = one.mention === "author";
      hearers.push({ listener, target: { conversation }, locale, restraint, mentionsAuthor });
    }
    if (outcome.kind !== "failed" || operators === undefined) return hearers;
    const { conversation, locale } = operators;
    return [...hearers, { listener: { kind: "operators" }, target: { conversation }, locale }];
  }

  async function settle(
    repository: string,
    outcome: Extract<ReviewOutcome, { kind: "report" }>,
  ): Promise<FindingsOutcome> {
    const { change, files, report } = outcome;
    const problems = report.outcome === "reported" ? report.problems : [];
    const keys = [...new Set(problems.flatMap((assessed) => assessed.keys))];
    const known = keys.length === 0 ? [] : await store.findingsByKeys(repository, keys);
    const paths = [
      ...new Set(files.flatMap((file) => (file.oldPath === undefined ? [file.path] : [file.path, file.oldPath]))),
    ];
    const open = paths.length === 0 ? [] : await store.openFindings(repository, change.ref, paths);
    const settled = new Set<FindingId>();
    for (const finding of open) if (await outcome.isSettled(finding)) settled.add(finding.id);
    return settleFindings({
      ref: change.ref,
      revision: change.head.canonical,
      problems,
      known,
      open,
      isSettled: (finding) => settled.has(finding.id),
      nextId: () => ids.next("fd"),
    });
  }

  /** What this conversation has been shown already: of the problems, of the resolved findings, and what else is open beside them. */
  async function shownTo(hearer: Hearer, change: Change, report: Report, findings: FindingsOutcome): Promise<Shown> {
    const reported = report.outcome === "reported" ? report.problems.map((assessed) => assessed.fingerprint) : [];
    const resolved = findings.resolved.map((finding) => finding.fingerprint);
    const settled = new Set([...reported, ...resolved]);
    const others = isBranchWide(change) || resolved.length > 0 ? await openBeside(change, settled) : [];
    const fingerprints = [...settled, ...others].filter((one) => findings.matched.has(one) || !reported.includes(one));
    if (fingerprints.length === 0) return { shown: none, resolved: [], alsoOpen: [] };
    const { conversation } = hearer.target;
    const delivered = await store.deliveredFindings({ conversation, repository: change.repository, fingerprints });
    const isNews = (one: string): boolean => findings.reopened.has(one) || findings.risen.has(one);
    const shown = new Set(delivered.map((one) => one.fingerprint).filter((one) => !isNews(one)));
    // A branch has one root; elsewhere each change has its own, and only the one that is corrected is spoken of.
    const corrected = new Set(
      delivered.filter((one) => resolved.includes(one.fingerprint)).map((one) => one.ref.thread),
    );
    const alsoOpen = delivered
      .filter((one) => others.includes(one.fingerprint) && (isBranchWide(change) || corrected.has(one.ref.thread)))
      .map((one) => one.fingerprint);
    return { shown, resolved: resolved.filter((fingerprint) => shown.has(fingerprint)), alsoOpen };
  }

  /** Findings that stay open on the change's ref although this review had no reason to speak of them. */
  async function openBeside(change: Change, settled: ReadonlySet<string>): Promise<readonly string[]> {
    const open = await store.findings({ repository: change.repository, state: "open", limit: MAX_OPEN });
    return open.findings
      .filter(({ refs }) => refs.some(({ ref, status }) => ref === change.ref && status === "open"))
      .map((finding) => finding.fingerprint)
      .filter((fingerprint) => !settled.has(fingerprint));
  }

  /** Dismissed for everybody, or of a kind that this conversation does not want to hear of for a while. */
  async function silentFor(
    { listener, target }: Hearer,
    repository: string,
    report: Report,
    dismissed: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    if (listener.kind !== "subscription" || report.outcome !== "reported") return dismissed;
    const mutes = await store.kindMutes(target.conversation, repository, clock.now());
    const kinds = new Set(mutes.map(({ category }) => category));
    const muted = report.problems.filter(({ problem }) => kinds.has(problem.category));
    return new Set([...dismissed, ...muted.map(({ fingerprint }) => fingerprint)]);
  }

  function decideFor(
    hearer: Hearer,
    verdict: Verdict,
    dismissed: ReadonlySet<string>,
    resolved: readonly string[],
    shown: ReadonlySet<string>,
    alsoOpen: readonly string[] = [],
  ): readonly Decision[] {
    return decide({ verdict, listener: hearer.listener, shown, dismissed, resolved, alsoOpen });
  }

  function plan(
    review: Review,
    hearer: Hearer,
    change: Change | undefined,
    decisions: readonly Decision[],
  ): PlannedDelivery[] {
    return decisions.map((decision) => {
      const id: DeliveryId = ids.next("dl");
      const common = { id, review: review.id, target: hearer.target, locale: hearer.locale };
      if (decision.say === "nothing") return { ...common, kind: "report", reason: decision.reason };
      const isRoot = decision.say === "report" && change !== undefined;
      const grouped = isRoot ? { threadKey: threadKeyOf(change) } : {};
      return { ...common, ...grouped, kind: decision.say, facts: factsFor(hearer, decision), ...hearer.restraint };
    });
  }
}

const none: ReadonlySet<string> = new Set();

/** Most open findings of a repository that are looked at for what a root says is still open. */
const MAX_OPEN = 1_000;

/** What a conversation knows already, by fingerprint. */
interface Shown {
  readonly shown: ReadonlySet<string>;
  readonly resolved: readonly string[];
  /** Shown earlier, still open, and not spoken of by this review. */
  readonly alsoOpen: readonly string[];
}

function factsFor({ mentionsAuthor }: Hearer, decision: Exclude<Decision, { say: "nothing" }>): DeliveryFacts {
  const hasNews = decision.say === "report" && (decision.facts.fresh ?? []).length > 0;
  return mentionsAuthor === true && hasNews ? { ...decision.facts, mentionAuthor: true } : decision.facts;
}

/** One root a branch; on the default branch, and for a range that a person asked for, one a change (DESIGN §5). */
export function threadKeyOf(change: Change): string {
  const scope = isBranchWide(change) ? change.ref : `${baseName(change)}..${change.head.canonical}`;
  return `${change.repository} ${scope}`;
}

function isBranchWide(change: Change): boolean {
  return !change.isDefaultBranch && ["merge_base", "last_reviewed"].includes(change.baseReason);
}

function withProblems(report: Report, findings: FindingsOutcome): Report {
  return report.outcome === "reported" ? { ...report, problems: findings.problems } : report;
}

function failureOf(error: AppError): ReviewFailure {
  const { code, message, remedy, reason, params } = error;
  return { code, message, remedy, params, ...(reason === undefined ? {} : { reason }) };
}
