// The people's command language: one parser for every platform, and the nearest right command for a wrong one.
import { type GivenOption, languageFrom, type OptionName, optionShape, optionShapes } from "./command-options.ts";
import {
  type Command,
  type ExpectedWord,
  findingsStates,
  type GivenWords,
  type Verb,
  type VerbShape,
  verbShapes,
  verbs,
  type WordKind,
} from "./command-verbs.ts";
import { joinWords, nearestWord, splitWords } from "./command-words.ts";
import { parseDuration } from "./duration.ts";
import type { Locale } from "./locale.ts";

export type { Command, FindingsState, Verb } from "./command-verbs.ts";
export { nearestWord, splitWords } from "./command-words.ts";

export type MistakeReason =
  | "unknown_word"
  | "unknown_option"
  | "missing_word"
  | "missing_value"
  | "bad_value"
  | "too_many_words"
  | "unclosed_quote";

export type ParsedCommand =
  | {
      readonly ok: true;
      readonly command: Command;
      /** The language of `lang:`, in which this command is to be answered. */
      readonly language?: Locale;
    }
  | {
      readonly ok: false;
      readonly reason: MistakeReason;
      /** The word that is wrong; where one is missing, the verb that misses it. */
      readonly word: string;
      /** The nearest right command, without the leading slash; `…` stands for what only the person knows. */
      readonly nearest: string;
    };

/** Words of the command language; no repository may have one as its alias (DESIGN §5). */
export const commandWords: readonly Verb[] = verbs;

/** Verbs that are understood and not answered yet: they are offered neither as the nearest command nor by help. */
export const unansweredVerbs: ReadonlySet<Verb> = new Set<Verb>(["dashboard"]);

/** What one reading of the words gave: a command, or the first mistake and the words with it put right. */
type Reading =
  | Extract<ParsedCommand, { ok: true }>
  | {
      readonly ok: false;
      readonly reason: MistakeReason;
      readonly word: string;
      readonly repaired: readonly string[];
    };

/**
 * Reads what follows `/review`. Full-width punctuation and smart quotes count as their ASCII forms, and capitals do not matter.
 * @param repositories aliases that the person may know of, for the nearest right command.
 */
export function parseCommand(text: string, repositories: readonly string[]): ParsedCommand {
  const words = wordsOf(text);
  if (words === null) return { ok: false, reason: "unclosed_quote", word: text.trim().slice(0, 80), nearest: "help" };
  const first = read(words, repositories);
  if (first.ok) return first;
  return {
    ok: false,
    reason: first.reason,
    word: first.word.slice(0, 80),
    nearest: mend(first.repaired, repositories),
  };
}

/** A reason is free text: quotes in it mean nothing, and its punctuation stays as it was typed. */
function wordsOf(text: string): readonly string[] | null {
  const dismissal = /^\s*(dismiss)\s+(\S+)\s+(\S[\s\S]*)$/iu.exec(text);
  if (dismissal === null) return splitWords(text);
  const [, verb = "", finding = "", reason = ""] = dismissal;
  return [verb, finding, withoutQuotes(reason.trim())];
}

function withoutQuotes(reason: string): string {
  const [only, ...others] = splitWords(reason) ?? [];
  const isQuoted = others.length === 0 && only !== undefined && only.length === reason.length - 2;
  return isQuoted ? reason.slice(1, -1).trim() : reason;
}

/** Puts one mistake after another right; each repair drops, replaces or adds a word, so that it comes to an end. */
function mend(words: readonly string[], repositories: readonly string[]): string {
  let current = words;
  for (let step = 0; step < 2 * words.length + 4; step++) {
    const reading = read(current, repositories);
    if (reading.ok) break;
    current = reading.repaired;
  }
  const line = joinWords(current);
  const again = wordsOf(line);
  return again !== null && read(again, repositories).ok ? line : "help";
}

function read(words: readonly string[], repositories: readonly string[]): Reading {
  const [first, ...rest] = words;
  if (first === undefined) return { ok: true, command: { verb: "help" } };
  const verb = verbs.find((known) => known === first.toLowerCase());
  if (verb !== undefined) return readVerb({ shape: verbShapes[verb], verb, head: [first], repositories }, rest);
  if (repositoryNamed(first, repositories) !== null) {
    return readVerb({ shape: verbShapes.review, verb: "review", head: [], repositories }, words);
  }
  const offered = verbs.filter((known) => !unansweredVerbs.has(known) && known !== "review");
  const near = nearestWord(first, [...repositories, ...offered]);
  return wrong("unknown_word", first, near === null ? ["help"] : [near, ...rest]);
}

interface VerbContext {
  readonly verb: Verb;
  readonly shape: VerbShape;
  /** The verb as it was typed; empty for a review, which needs no verb. */
  readonly head: readonly string[];
  readonly repositories: readonly string[];
}

function readVerb(context: VerbContext, words: readonly string[]): Reading {
  const { shape, head, repositories } = context;
  const given: Partial<Record<WordKind, string>> = {};
  const options: GivenOption[] = [];
  let next = 0;
  for (const [index, word] of words.entries()) {
    const replaced = (...by: readonly string[]): readonly string[] => [
      ...head,
      ...words.slice(0, index),
      ...by,
      ...words.slice(index + 1),
    ];
    const expected = shape.words[next];
    const option = expected?.kind === "reason" ? null : readOption(word, shape, expected === undefined);
    if (option !== null) {
      if ("reason" in option) {
        return wrong(option.reason, word, option.right === null ? replaced() : replaced(option.right));
      }
      options.push(option);
      continue;
    }
    if (expected === undefined) return wrong("too_many_words", word, replaced());
    const taken = takeWord(expected.kind, word, repositories);
    if (taken.ok) {
      given[expected.kind] = taken.value;
      next++;
      continue;
    }
    // Where nothing is near to a repository that nobody knows, the list helps more than a guess.
    return wrong(taken.reason, word, taken.right.length === 0 ? ["repos"] : replaced(...taken.right));
  }
  return finish(context, words, given, options, shape.words.slice(next));
}

function finish(
  { verb, shape, head, repositories }: VerbContext,
  words: readonly string[],
  given: GivenWords,
  options: readonly GivenOption[],
  missing: readonly ExpectedWord[],
): Reading {
  const needed = missing.find(({ optional }) => optional !== true);
  if (needed !== undefined) {
    const sample = needed.kind === "repository" ? repositories[0] : samples[needed.kind];
    return wrong("missing_word", verb, sample === undefined ? ["repos"] : [...head, ...words, sample]);
  }
  const language = languageFrom(options);
  return { ok: true, command: shape.build(given, options), ...(language === undefined ? {} : { language }) };
}

const samples: Readonly<Record<Exclude<WordKind, "repository">, string>> = {
  rev: "HEAD",
  review: "…",
  duration: "2h",
  state: "open",
  finding: "…",
  reason: "…",
  user: "…",
};

type TakenWord =
  | { readonly ok: true; readonly value: string }
  /** The words that would be right in its place; empty when none is known. */
  | { readonly ok: false; readonly reason: MistakeReason; readonly right: readonly string[] };

function takeWord(kind: WordKind, word: string, repositories: readonly string[]): TakenWord {
  switch (kind) {
    case "repository": {
      const named = repositoryNamed(word, repositories);
      if (named !== null) return { ok: true, value: named };
      const near = nearestWord(word, repositories);
      return { ok: false, reason: "unknown_word", right: near === null ? [] : [near] };
    }
    case "duration":
      if (parseDuration(word) !== null) return { ok: true, value: word };
      if (repositoryNamed(word, repositories) === null)
        return { ok: false, reason: "bad_value", right: [samples.duration] };
      return { ok: false, reason: "missing_word", right: [samples.duration, word] };
    case "state":
      return findingsStates.some((state) => state === word.toLowerCase())
        ? { ok: true, value: word }
        : { ok: false, reason: "bad_value", right: [nearestWord(word, findingsStates) ?? samples.state] };
    default:
      return { ok: true, value: word };
  }
}

/** Exactly, or but for its capitals (no two aliases differ in those alone). */
function repositoryNamed(word: string, repositories: readonly string[]): string | null {
  if (repositories.includes(word)) return word;
  return repositories.find((alias) => alias.toLowerCase() === word.toLowerCase()) ?? null;
}

type OptionMistake = { readonly reason: MistakeReason; readonly right: string | null };

/**
 * Null for a word that is no option. A revision may hold a colon too, so that a name that is only like an option's counts as one
 * only where no word is expected any more, or where it is near to one that the verb takes.
 */
function readOption(word: string, shape: VerbShape, isExtra: boolean): GivenOption | OptionMistake | null {
  const match = /^([-–—−]?)([A-Za-z_]{2,20}):(.*)$/su.exec(word);
  if (match === null) return null;
  const [, sign = "", typed = "", value = ""] = match;
  const known: readonly OptionName[] = [...shape.options, "lang"];
  const name = known.find((one) => one === typed.toLowerCase());
  if (name === undefined) return unknownOption(typed, value, sign, known, isExtra);
  const option = optionShape(name);
  const dash = sign === "" ? "" : "-";
  if (dash !== "" && option.negates !== true) return { reason: "unknown_option", right: `${name}:${value}` };
  if (value === "") return { reason: "missing_value", right: `${dash}${name}:${option.sample}` };
  if (!option.accepts(value)) {
    const near = option.choices === undefined ? null : nearestWord(value, option.choices);
    return { reason: "bad_value", right: `${dash}${name}:${near ?? option.sample}` };
  }
  return { name, negated: dash !== "", value };
}

function unknownOption(
  typed: string,
  value: string,
  sign: string,
  known: readonly OptionName[],
  isExtra: boolean,
): OptionMistake | null {
  // The beginning of an address, such as https://…
  if (value.startsWith("//")) return null;
  const near = nearestWord(typed, known);
  if (near !== null) return { reason: "unknown_option", right: `${sign === "" ? "" : "-"}${near}:${value}` };
  const isElsewhere = Object.keys(optionShapes).includes(typed.toLowerCase());
  return isExtra || isElsewhere ? { reason: "unknown_option", right: null } : null;
}

function wrong(reason: MistakeReason, word: string, repaired: readonly string[]): Reading {
  return { ok: false, reason, word, repaired };
}
