// Makers of the plain data that the store's contract hands to its operations.
import type { Change } from "../../src/core/change.ts";
import type { ConversationRef, MessageRef, PlannedDelivery } from "../../src/core/delivery.ts";
import type { FindingUpdate } from "../../src/core/finding.ts";
import type { DeliveryId, FindingId, JobId, ReviewId } from "../../src/core/ids.ts";
import type { AssessedProblem } from "../../src/core/problem.ts";
import type { Requester, ReviewTimings } from "../../src/core/review.ts";
import type { AcceptReview, ClaimedDelivery, ClaimedJob, FinishReview, Store } from "../../src/ports/store.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** Removes what the store left behind; the suite has closed it before. */
  dispose(): Promise<void>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

export const start = 1_700_000_000_000;
export const minute = 60_000;

export const place: ConversationRef = { channel: "slack", workspace: "T1", conversation: "C/1:x" };
export const otherPlace: ConversationRef = { channel: "slack", workspace: "T1", conversation: "C/2:x" };

export const asker: Extract<Requester, { readonly kind: "person" }> = {
  kind: "person",
  conversation: place,
  person: { channel: "slack", workspace: "T1", person: "U1", name: "Ada" },
  thread: "171.1",
};

export const timings: ReviewTimings = { queuedMs: 1, resolveMs: 2, materialiseMs: 3, agentMs: 4.5, totalMs: 10.5 };

let counter = 0;
export function fresh(): string {
  counter += 1;
  return String(counter).padStart(8, "0");
}

export function request(overrides: Partial<AcceptReview> = {}): AcceptReview {
  const id = fresh();
  return {
    review: `rv_${id}`,
    job: `jb_${id}`,
    inbox: { source: "push", key: id },
    jobKey: "demo refs/heads/main",
    coalesce: true,
    repository: "demo",
    spec: `sha-${id}`,
    ref: "refs/heads/main",
    agent: "checks",
    paths: [],
    locale: "en",
    requester: { kind: "feed", feed: "push" },
    now: start,
    ...overrides,
  };
}

export function change(overrides: Partial<Change> = {}): Change {
  return {
    repository: "demo",
    vcs: "git",
    head: {
      vcs: "git",
      canonical: "a".repeat(40),
      display: "aaaaaaaaaa",
      author: "Ada",
      authorEmail: "ada@example.org",
      time: start,
      message: "Größere Änderung\n\nzwei Zeilen 🚀",
      parents: ["b".repeat(40)],
      flags: ["merge"],
    },
    base: "empty",
    baseReason: "empty_tree",
    ref: "refs/heads/main",
    isDefaultBranch: true,
    spec: "main",
    ...overrides,
  };
}

export function problem(fingerprint: string, overrides: Partial<AssessedProblem> = {}): AssessedProblem {
  return {
    problem: {
      file: "src/a.ts",
      line: 3,
      endLine: 4,
      severity: "high",
      category: "correctness",
      message: `It's "wrong": ${fingerprint}`,
      suggestion: "return 1;",
      fingerprint: `agent-${fingerprint}`,
    },
    anchored: true,
    fingerprint,
    keys: [fingerprint, `agent:${fingerprint}`],
    anchorDigest: `anchor-${fingerprint}`,
    excerpt: { firstLine: 2, lines: ["{", "\treturn 0;"], language: "typescript" },
    ...overrides,
  };
}

export function finding(fingerprint: string, overrides: Partial<FindingUpdate> = {}): FindingUpdate {
  const id: FindingId = `fd_${fresh()}`;
  return {
    id,
    fingerprint,
    keys: [fingerprint, `agent:${fingerprint}`],
    ref: "refs/heads/main",
    revision: "r1",
    status: "open",
    file: "src/a.ts",
    category: "correctness",
    severity: "high",
    title: `Problem ${fingerprint}`,
    anchorDigest: `anchor-${fingerprint}`,
    ...overrides,
  };
}

export function delivery(overrides: Partial<PlannedDelivery> = {}): PlannedDelivery {
  const id: DeliveryId = `dl_${fresh()}`;
  return { id, kind: "report", target: { conversation: place }, locale: "en", threadKey: "demo main", ...overrides };
}

export function messageRef(message: string, overrides: Partial<MessageRef> = {}): MessageRef {
  return { ...place, message, ...overrides };
}

/** Claims a job under a token of its own. */
export function claim(store: Store, now = start, maxAttempts = 5, leaseMs = minute): Promise<ClaimedJob | null> {
  return store.claimJob({ worker: "w1", token: `token-${fresh()}`, leaseMs, maxAttempts, now });
}

export async function claimed(store: Store, now = start): Promise<ClaimedJob> {
  const job = await claim(store, now);
  if (job === null) throw new Error("no job was due");
  return job;
}

export function finishing(
  job: { readonly id: JobId; readonly token: string; readonly review: { readonly id: ReviewId } },
  overrides: Partial<FinishReview> = {},
): FinishReview {
  return {
    job: job.id,
    token: job.token,
    review: job.review.id,
    result: { status: "clean", report: { outcome: "clean", summaries: [{ title: "Fine", markdown: "All *good*." }] } },
    timings,
    findings: [],
    deliveries: [],
    now: start + 1_000,
    ...overrides,
  };
}

/** Accepts, claims, starts and finishes one review, whose deliveries these are; gives back its id. */
export async function reviewed(
  store: Store,
  accept: Partial<AcceptReview> = {},
  finish: Partial<FinishReview> = {},
  of: Change = change(),
): Promise<ReviewId> {
  const accepted = request({ jobKey: `key-${fresh()}`, ...accept });
  await store.acceptReview(accepted);
  const job = await claimed(store, accepted.now);
  await store.startReview({ job: job.id, token: job.token, review: job.review.id, change: of, now: accepted.now });
  const deliveries = (finish.deliveries ?? []).map((one) => ({ review: job.review.id, ...one }));
  if (!(await store.finishReview(finishing(job, { ...finish, deliveries })))) throw new Error("the lease was lost");
  return job.review.id;
}

export function claimNext(store: Store, now = start + minute, leaseMs = minute): Promise<ClaimedDelivery | null> {
  return store.claimDelivery({ token: `token-${fresh()}`, leaseMs, now });
}

export async function claimedDelivery(store: Store, now = start + minute): Promise<ClaimedDelivery> {
  const next = await claimNext(store, now);
  if (next === null) throw new Error("no delivery was due");
  return next;
}
