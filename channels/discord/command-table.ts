// Which options each command of Discord takes, read from the grammar's own table, so that neither can know more than the other.
import { unansweredVerbs, type Verb } from "../../src/core/command.ts";
import { type OptionName, optionShape } from "../../src/core/command-options.ts";
import { findingsStates, verbShapes, verbs, type WordKind } from "../../src/core/command-verbs.ts";

/** One option of a command as people fill it in on Discord. */
export interface TableOption {
  /** Its name on Discord. */
  readonly name: string;
  readonly required: boolean;
  /** A word of the grammar, or an option `name:value` of it. */
  readonly source:
    | { readonly kind: "word"; readonly word: WordKind }
    | { readonly kind: "option"; readonly option: OptionName };
  /** The only values, where there are few. */
  readonly choices?: readonly string[];
  /** Values are offered while people type. */
  readonly isSuggested: boolean;
  /** May hold several values with spaces between them, each perhaps with `-` before it for the opposite. */
  readonly holdsSeveral: boolean;
}

const wordNames: Readonly<Record<WordKind, string>> = {
  repository: "repo",
  rev: "rev",
  review: "review",
  duration: "duration",
  state: "state",
  finding: "finding",
  reason: "reason",
  user: "user",
};

const suggestedWords: ReadonlySet<WordKind> = new Set<WordKind>(["repository", "rev", "review"]);

/** The verbs that are sub-commands; a review has a command of its own. */
export const subCommands: readonly Verb[] = verbs.filter((verb) => verb !== "review" && !unansweredVerbs.has(verb));

/** Required ones first, as Discord wants them. */
export function optionsOf(verb: Verb): readonly TableOption[] {
  const { words, options } = verbShapes[verb];
  // A language is what a subscription is given; what a command is answered in, the person's own client says.
  const named: readonly OptionName[] = verb === "subscribe" ? [...options, "lang"] : options;
  return [
    ...words.map(
      ({ kind, optional }): TableOption => ({
        name: wordNames[kind],
        required: optional !== true,
        source: { kind: "word", word: kind },
        ...(kind === "state" ? { choices: findingsStates } : {}),
        isSuggested: suggestedWords.has(kind),
        holdsSeveral: false,
      }),
    ),
    ...named.map((name): TableOption => {
      const { choices, repeats } = optionShape(name);
      return {
        name,
        required: false,
        source: { kind: "option", option: name },
        ...(choices === undefined ? {} : { choices }),
        isSuggested: name === "agent",
        holdsSeveral: repeats === true,
      };
    }),
  ];
}
