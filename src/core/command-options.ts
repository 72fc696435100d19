// The options of the command language, `name:value`: what each may hold, and an example of each that is right.
import { isCronExpression } from "./cron-expression.ts";
import { parseDuration } from "./duration.ts";
import { type Locale, localeNamed, locales } from "./locale.ts";
import { severities } from "./problem.ts";
import { isTimeZone, parseQuietHours } from "./quiet-hours.ts";
import {
  type Filters,
  noFilters,
  noProblemsPolicies,
  type SubscriptionTerms,
  subscriptionModes,
} from "./subscription.ts";

export interface OptionShape {
  /** A value that is right, for the nearest right command; `…` where only the person knows. */
  readonly sample: string;
  /** Whether the value is understood. */
  readonly accepts: (value: string) => boolean;
  /** The only values, where there are few. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeats?: true;
  /** May begin with `-`, for the opposite. */
  readonly negates?: true;
}

/** Longest value of an option, UTF-16 units. */
const MAX_VALUE = 500;

const anything = (value: string): boolean => value.length <= MAX_VALUE;

function oneOf(choices: readonly string[], sample: string): OptionShape {
  return { sample, choices, accepts: (value) => choices.includes(value.toLowerCase()) };
}

function globs(sample: string): OptionShape {
  return { sample, accepts: anything, repeats: true, negates: true };
}

export const optionShapes = {
  agent: { sample: "…", accepts: anything },
  lang: { sample: "en", accepts: (value) => localeNamed(value) !== null, choices: locales },
  branch: globs("main"),
  path: globs("src/**"),
  author: globs("…"),
  mode: oneOf(subscriptionModes, "report"),
  severity: oneOf(severities, "high"),
  no_problems: oneOf(noProblemsPolicies, "suppress"),
  mention: oneOf(["author"], "author"),
  digest: { sample: "0 9 * * 1-5", accepts: isCronExpression },
  tz: { sample: "Asia/Shanghai", accepts: isTimeZone },
  quiet: { sample: "22:00-08:00", accepts: (value) => parseQuietHours(value) !== null },
  since: { sample: "7d", accepts: (value) => parseDuration(value) !== null },
} as const satisfies Readonly<Record<string, OptionShape>>;

export type OptionName = keyof typeof optionShapes;

export function optionShape(name: OptionName): OptionShape {
  return optionShapes[name];
}

/** An option as it was typed, its name known and its value understood. */
export interface GivenOption {
  readonly name: OptionName;
  readonly negated: boolean;
  readonly value: string;
}

/** The last value of an option; a later one replaces an earlier one. */
export function lastValue(options: readonly GivenOption[], name: OptionName): string | undefined {
  return options.findLast((option) => option.name === name && !option.negated)?.value;
}

export function allValues(options: readonly GivenOption[], name: OptionName, negated = false): readonly string[] {
  return options.filter((option) => option.name === name && option.negated === negated).map(({ value }) => value);
}

export function filtersFrom(options: readonly GivenOption[]): Filters {
  return {
    ...noFilters,
    branches: allValues(options, "branch"),
    notBranches: allValues(options, "branch", true),
    paths: allValues(options, "path"),
    notPaths: allValues(options, "path", true),
    authors: allValues(options, "author"),
    notAuthors: allValues(options, "author", true),
  };
}

export function termsFrom(options: readonly GivenOption[]): SubscriptionTerms {
  const noProblems = choice(options, "no_problems", noProblemsPolicies);
  const digest = lastValue(options, "digest");
  const timeZone = lastValue(options, "tz");
  const quietText = lastValue(options, "quiet");
  const quiet = quietText === undefined ? null : parseQuietHours(quietText);
  return {
    mode: choice(options, "mode", subscriptionModes) ?? "report",
    severity: choice(options, "severity", severities) ?? "info",
    ...(noProblems === undefined ? {} : { noProblems }),
    ...(lastValue(options, "mention") === undefined ? {} : { mention: "author" }),
    ...(digest === undefined ? {} : { digest }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(quiet === null ? {} : { quiet }),
  };
}

export function languageFrom(options: readonly GivenOption[]): Locale | undefined {
  const typed = lastValue(options, "lang");
  return typed === undefined ? undefined : (localeNamed(typed) ?? undefined);
}

function choice<T extends string>(
  options: readonly GivenOption[],
  name: OptionName,
  choices: readonly T[],
): T | undefined {
  const value = lastValue(options, name)?.toLowerCase();
  return choices.find((one) => one === value);
}
