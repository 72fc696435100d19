// A subscription as the words of the command that would make it, so that people read what they would type.
import { joinWords } from "./command-words.ts";
import { formatQuietHours } from "./quiet-hours.ts";
import type { Filters, SubscriptionTerms } from "./subscription.ts";

export function subscriptionWords(repository: string, filters: Filters, terms: SubscriptionTerms): string {
  const { mode, severity, noProblems, mention, digest, timeZone, quiet } = terms;
  return joinWords([
    repository,
    ...options("branch", filters.branches),
    ...options("-branch", filters.notBranches),
    ...options("path", filters.paths),
    ...options("-path", filters.notPaths),
    ...options("author", filters.authors),
    ...options("-author", filters.notAuthors),
    ...(mode === "report" ? [] : [`mode:${mode}`]),
    ...(severity === "info" ? [] : [`severity:${severity}`]),
    ...options("no_problems", noProblems === undefined ? [] : [noProblems]),
    ...options("mention", mention === undefined ? [] : [mention]),
    ...options("digest", digest === undefined ? [] : [digest]),
    ...options("tz", timeZone === undefined ? [] : [timeZone]),
    ...options("quiet", quiet === undefined ? [] : [formatQuietHours(quiet)]),
  ]);
}

function options(name: string, values: readonly string[]): readonly string[] {
  return values.map((value) => `${name}:${value}`);
}
