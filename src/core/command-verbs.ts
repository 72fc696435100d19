// The verbs of the command language as a table: which words and options each takes, and the command that they make.
import { allValues, filtersFrom, type GivenOption, lastValue, type OptionName, termsFrom } from "./command-options.ts";
import { parseDuration } from "./duration.ts";
import type { Filters, SubscriptionTerms } from "./subscription.ts";

export type Command =
  | {
      readonly verb: "review";
      readonly repository: string;
      /** Empty: the newest change of the default branch. */
      readonly rev: string;
      readonly agent?: string;
      readonly paths: readonly string[];
    }
  | { readonly verb: "help" | "repos" | "subscriptions" | "dashboard" }
  | { readonly verb: "status"; readonly review?: string }
  | { readonly verb: "cancel" | "rerun"; readonly review: string }
  | { readonly verb: "why" | "explain"; readonly repository: string; readonly rev: string }
  | {
      readonly verb: "subscribe";
      readonly repository: string;
      readonly filters: Filters;
      readonly terms: SubscriptionTerms;
    }
  | { readonly verb: "unsubscribe"; readonly repository: string }
  /** Without a repository: all of them. */
  | { readonly verb: "mute"; readonly durationMs: number; readonly repository?: string }
  | { readonly verb: "unmute"; readonly repository?: string }
  | { readonly verb: "findings"; readonly repository: string; readonly state: FindingsState }
  | { readonly verb: "dismiss"; readonly finding: string; readonly reason: string }
  | { readonly verb: "reopen"; readonly finding: string }
  /** Without a repository: all that the conversation is subscribed to. */
  | { readonly verb: "digest"; readonly repository?: string; readonly sinceMs?: number }
  | { readonly verb: "link"; readonly user: string }
  | { readonly verb: "dashboard" };

export type Verb = Command["verb"];

export const findingsStates = ["open", "dismissed"] as const;
export type FindingsState = (typeof findingsStates)[number];

export type WordKind =
  | "repository"
  | "rev"
  | "review"
  | "duration"
  | "state"
  | "finding"
  /** Everything that follows, as it was typed. */
  | "reason"
  | "user";

export interface ExpectedWord {
  readonly kind: WordKind;
  readonly optional?: true;
}

export type GivenWords = Readonly<Partial<Record<WordKind, string>>>;

export interface VerbShape {
  readonly words: readonly ExpectedWord[];
  /** Beside `lang`, which every verb takes. */
  readonly options: readonly OptionName[];
  readonly build: (words: GivenWords, options: readonly GivenOption[]) => Command;
}

const repository: ExpectedWord = { kind: "repository" };
const anyRepository: ExpectedWord = { kind: "repository", optional: true };
const review: ExpectedWord = { kind: "review" };
const rev: ExpectedWord = { kind: "rev" };
const finding: ExpectedWord = { kind: "finding" };

export const verbShapes: Readonly<Record<Verb, VerbShape>> = {
  review: {
    words: [repository, { kind: "rev", optional: true }],
    options: ["agent", "path"],
    build: (words, options) => {
      const agent = lastValue(options, "agent");
      return {
        verb: "review",
        repository: words.repository ?? "",
        rev: words.rev ?? "",
        ...(agent === undefined ? {} : { agent }),
        paths: allValues(options, "path"),
      };
    },
  },
  help: bare("help"),
  repos: bare("repos"),
  subscriptions: bare("subscriptions"),
  dashboard: bare("dashboard"),
  status: {
    words: [{ kind: "review", optional: true }],
    options: [],
    build: (words) => ({ verb: "status", ...(words.review === undefined ? {} : { review: words.review }) }),
  },
  cancel: aboutReview("cancel"),
  rerun: aboutReview("rerun"),
  why: aboutRevision("why"),
  explain: aboutRevision("explain"),
  subscribe: {
    words: [repository],
    options: ["branch", "path", "author", "mode", "severity", "no_problems", "mention", "digest", "tz", "quiet"],
    build: (words, options) => ({
      verb: "subscribe",
      repository: words.repository ?? "",
      filters: filtersFrom(options),
      terms: termsFrom(options),
    }),
  },
  unsubscribe: {
    words: [repository],
    options: [],
    build: (words) => ({ verb: "unsubscribe", repository: words.repository ?? "" }),
  },
  mute: {
    words: [{ kind: "duration" }, anyRepository],
    options: [],
    build: (words) => ({ verb: "mute", durationMs: parseDuration(words.duration ?? "") ?? 0, ...within(words) }),
  },
  unmute: { words: [anyRepository], options: [], build: (words) => ({ verb: "unmute", ...within(words) }) },
  findings: {
    words: [repository, { kind: "state", optional: true }],
    options: [],
    build: (words) => ({
      verb: "findings",
      repository: words.repository ?? "",
      state: findingsStates.find((state) => state === words.state?.toLowerCase()) ?? "open",
    }),
  },
  dismiss: {
    words: [finding, { kind: "reason" }],
    options: [],
    build: (words) => ({ verb: "dismiss", finding: words.finding ?? "", reason: words.reason ?? "" }),
  },
  reopen: { words: [finding], options: [], build: (words) => ({ verb: "reopen", finding: words.finding ?? "" }) },
  digest: {
    words: [anyRepository],
    options: ["since"],
    build: (words, options) => {
      const since = lastValue(options, "since");
      const sinceMs = since === undefined ? null : parseDuration(since);
      return { verb: "digest", ...within(words), ...(sinceMs === null ? {} : { sinceMs }) };
    },
  },
  link: { words: [{ kind: "user" }], options: [], build: (words) => ({ verb: "link", user: words.user ?? "" }) },
};

export const verbs = Object.keys(verbShapes) as readonly Verb[];

function bare(verb: "help" | "repos" | "subscriptions" | "dashboard"): VerbShape {
  return { words: [], options: [], build: () => ({ verb }) };
}

function aboutReview(verb: "cancel" | "rerun"): VerbShape {
  return { words: [review], options: [], build: (words) => ({ verb, review: words.review ?? "" }) };
}

function aboutRevision(verb: "why" | "explain"): VerbShape {
  return {
    words: [repository, rev],
    options: [],
    build: (words) => ({ verb, repository: words.repository ?? "", rev: words.rev ?? "" }),
  };
}

function within(words: GivenWords): { readonly repository?: string } {
  return words.repository === undefined ? {} : { repository: words.repository };
}
