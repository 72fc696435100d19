// Completes what people are typing: repositories, verbs, revisions and reviews that they may see, from memory and the store.

import { unansweredVerbs } from "../core/command.ts";
import { type OptionName, optionShape } from "../core/command-options.ts";
import { findingsStates, type Verb, verbShapes, verbs, type WordKind } from "../core/command-verbs.ts";
import { joinWords, splitWords } from "../core/command-words.ts";
import { locales } from "../core/locale.ts";
import type { InboundCommand } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Visibility } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";
import type { Vcs } from "../ports/vcs.ts";

export interface SuggestWordsPorts {
  readonly visibility: Visibility;
  readonly store: Pick<Store, "reviews">;
  /** By the alias of its repository. */
  readonly vcs: ReadonlyMap<string, Pick<Vcs, "check">>;
  /** Names of the configured agents. */
  readonly agents: readonly string[];
  readonly clock: Clock;
}

/** Gives whole lines that go on from what is typed; those nearest to mind first, at most 25. Never throws. */
export type SuggestWords = (inbound: Pick<InboundCommand, "conversation" | "text">) => Promise<readonly string[]>;

const MOST_LINES = 25;
/** Reviews that are looked through for revisions. */
const REVIEWS = 100;
/** How long the version control system may take to tell its newest revision; it is remembered for a minute, ms. */
const CHECK_MS = 1_000;
const REMEMBER_MS = 60_000;

const offeredVerbs = verbs.filter((verb) => verb !== "review" && !unansweredVerbs.has(verb));

interface Typed {
  readonly inbound: Pick<InboundCommand, "conversation" | "text">;
  readonly visible: readonly string[];
  /** Words of the verb that stand already. */
  readonly given: readonly string[];
}

export function createSuggestWords(ports: SuggestWordsPorts): SuggestWords {
  const { visibility, store, vcs, agents, clock } = ports;
  const newest = new Map<string, { readonly at: number; readonly names: Promise<readonly string[]> }>();

  return async (inbound) => {
    try {
      const { conversation, text } = inbound;
      const visible = visibility.repositoriesFor(conversation);
      const begun = text.slice(0, text.search(/\S*$/u));
      const word = text.slice(begun.length);
      const words = splitWords(begun);
      if (words === null) return [];
      const found = await candidates(words, word, { inbound, visible });
      const typed = word.toLowerCase();
      const fitting = found.filter((one) => one.toLowerCase().startsWith(typed)).map((one) => joinWords([one]));
      return [...new Set(fitting)].slice(0, MOST_LINES).map((one) => begun + one);
    } catch {
      return [];
    }
  };

  /** Words that may stand next, whether they fit to what is typed of it or not. */
  async function candidates(
    words: readonly string[],
    word: string,
    { inbound, visible }: Omit<Typed, "given">,
  ): Promise<readonly string[]> {
    const [first, ...others] = words;
    if (first === undefined) return [...visible, ...offeredVerbs];
    const verb = verbs.find((one) => one === first.toLowerCase());
    if (verb === undefined && !isAlias(first, visible)) return [];
    const rest = verb === undefined ? words : others;
    const option = /^-?([a-z_]{2,20}):/u.exec(word)?.[1];
    if (option !== undefined) return optionValues(verb ?? "review", option, word);
    const given = rest.filter((one) => !/^-?[a-z_]{2,20}:/u.test(one));
    const expected = verbShapes[verb ?? "review"].words[given.length];
    return expected === undefined ? [] : wordsFor(expected.kind, { inbound, visible, given });
  }

  function optionValues(verb: Verb, name: string, word: string): readonly string[] {
    const known: readonly OptionName[] = [...verbShapes[verb].options, "lang"];
    const option = known.find((one) => one === name);
    if (option === undefined) return [];
    const values = option === "agent" ? agents : option === "lang" ? locales : (optionShape(option).choices ?? []);
    const start = word.slice(0, word.indexOf(":") + 1);
    return values.map((value) => start + value);
  }

  async function wordsFor(kind: WordKind, typed: Typed): Promise<readonly string[]> {
    switch (kind) {
      case "repository":
        return typed.visible;
      case "rev":
        return revisions(typed);
      case "review": {
        const { conversation } = typed.inbound;
        const recent = await store.reviews({ conversation, limit: MOST_LINES });
        return recent.filter(({ repository }) => typed.visible.includes(repository)).map(({ id }) => id);
      }
      case "state":
        return findingsStates;
      default:
        return [];
    }
  }

  /** Branches before single revisions, those that were reviewed last first. */
  async function revisions({ visible, given: [alias = ""] }: Typed): Promise<readonly string[]> {
    const repository = visible.find((one) => one.toLowerCase() === alias.toLowerCase());
    if (repository === undefined) return [];
    const [known, reviews] = await Promise.all([newestOf(repository), store.reviews({ repository, limit: REVIEWS })]);
    const changes = reviews.flatMap(({ change }) => (change === undefined ? [] : [change]));
    const branches = changes.flatMap(({ ref }) => branchOf(ref) ?? []);
    return [...known, ...branches, ...changes.map(({ head }) => head.display)];
  }

  /** The default branch and the newest revision, as the version control system told within the last minute. */
  async function newestOf(repository: string): Promise<readonly string[]> {
    const one = newest.get(repository);
    const known = one === undefined || clock.now() - one.at >= REMEMBER_MS ? ask(repository) : one.names;
    let cancel = (): void => {};
    const late = new Promise<readonly string[]>((resolve) => {
      cancel = clock.after(CHECK_MS, () => resolve([]));
    });
    return Promise.race([known, late]).finally(() => cancel());
  }

  function ask(repository: string): Promise<readonly string[]> {
    const names = Promise.resolve(vcs.get(repository)?.check({ deadlineMs: REMEMBER_MS }))
      .then((state) => [state?.defaultBranch, state?.head?.display].filter((name) => name != null))
      // A repository that cannot be reached now has only what the store knows.
      .catch((): readonly string[] => []);
    newest.set(repository, { at: clock.now(), names });
    return names;
  }
}

function isAlias(word: string, visible: readonly string[]): boolean {
  return visible.some((alias) => alias.toLowerCase() === word.toLowerCase());
}

function branchOf(ref: string): string | null {
  return /^refs\/heads\/(.+)$/u.exec(ref)?.[1] ?? null;
}
