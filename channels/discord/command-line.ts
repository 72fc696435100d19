// The line of the command grammar that the options of a slash command make, and back from suggested lines to an option's values.
import type { Verb } from "../../src/core/command.ts";
import { verbShapes } from "../../src/core/command-verbs.ts";
import { joinWords, splitWords } from "../../src/core/command-words.ts";
import { optionsOf, subCommands, type TableOption } from "./command-table.ts";
import type { CommandData, GivenOption } from "./interaction.ts";

export interface CommandNames {
  /** Asks for a review. */
  readonly review: string;
  /** Has the verbs as its sub-commands. */
  readonly verbs: string;
}

export interface GivenCommand {
  readonly verb: Verb;
  readonly options: readonly GivenOption[];
}

/** Null for a command that is none of ours, such as one of an older registration. */
export function givenCommand(data: CommandData, names: CommandNames): GivenCommand | null {
  if (data.name === names.review) return { verb: "review", options: data.options };
  const [sub] = data.options;
  const verb = data.name === names.verbs ? subCommands.find((one) => one === sub?.name) : undefined;
  return verb === undefined ? null : { verb, options: sub?.options ?? [] };
}

/** What people would type for it, without the slash and the command's name. */
export function commandLine({ verb, options }: GivenCommand): string {
  const table = optionsOf(verb);
  const reason = table.some(({ name }) => name === "reason") ? given(options, "reason") : undefined;
  const words = table
    .filter(({ name }) => name !== "reason")
    .flatMap((option) => wordsOf(option, given(options, option.name)));
  const line = joinWords([...head(verb), ...words]);
  // The rest of a dismissal is free text, which the grammar takes as it stands.
  return reason === undefined ? line : `${line} ${reason.trim()}`;
}

/** The longest text that Discord takes as a choice's name or value, UTF-16 units. */
const MAX_CHOICE = 100;
/** Most choices of an autocompletion. */
const MAX_CHOICES = 25;

export interface Completion {
  /** What has been typed of the line, the focused option's text at its end: what the core completes. */
  readonly line: string;
  /** The values of the focused option among the core's suggestions, whole lines each. */
  valuesOf(suggestions: readonly string[]): readonly string[];
}

/** Null where nothing is being filled in, or nothing is offered for it. */
export function completion({ verb, options }: GivenCommand): Completion | null {
  const focused = options.find((option) => option.focused === true);
  const table = optionsOf(verb);
  const index = table.findIndex(({ name }) => name === focused?.name);
  const option = table[index];
  if (focused === undefined || option === undefined || !option.isSuggested) return null;
  const isWord = option.source.kind === "word";
  const before = table
    .slice(0, isWord ? index : verbShapes[verb].words.length)
    .flatMap((one) => wordsOf(one, given(options, one.name)));
  // A review needs no verb, but with it the core offers repositories alone, no verbs.
  const start = joinWords([verb, ...before]);
  const prefix = option.source.kind === "option" ? `${option.source.option}:` : "";
  const stem = start === "" ? prefix : `${start} ${prefix}`;
  const typed = String(focused.value ?? "").trim();
  return {
    line: stem + typed,
    valuesOf(suggestions) {
      const values = suggestions
        .filter((line) => line.toLowerCase().startsWith(stem.toLowerCase()))
        .map((line) => splitWords(line.slice(stem.length)) ?? [])
        .flatMap(([value, ...others]) => (value === undefined || others.length > 0 ? [] : [value]))
        .filter((value) => value.length <= MAX_CHOICE && value.toLowerCase().includes(typed.toLowerCase()));
      return [...new Set(values)].slice(0, MAX_CHOICES);
    },
  };
}

/** A review needs no verb. */
function head(verb: Verb): readonly string[] {
  return verb === "review" ? [] : [verb];
}

function given(options: readonly GivenOption[], name: string): string | undefined {
  const value = options.find((option) => option.name === name)?.value;
  const text = value === undefined ? "" : String(value).replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return text.trim() === "" ? undefined : text.trim();
}

function wordsOf({ source, holdsSeveral }: TableOption, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (source.kind === "word") return [value];
  if (!holdsSeveral) return [`${source.option}:${value}`];
  // A quotation mark that is not closed is a part of the value.
  return (splitWords(value) ?? [value]).map((one) =>
    one.startsWith("-") ? `-${source.option}:${one.slice(1)}` : `${source.option}:${one}`,
  );
}
