// A subscription is shown as the command that makes it: typing that command makes the same subscription.
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseCommand } from "../../../src/core/command.ts";
import { severities } from "../../../src/core/problem.ts";
import { noProblemsPolicies, subscriptionModes } from "../../../src/core/subscription.ts";
import { subscriptionWords } from "../../../src/core/subscription-words.ts";

const glob = fc.stringMatching(/^[a-zA-Z0-9_*?/.[\]\- ]{1,12}$/);
const globs = fc.array(glob, { maxLength: 3 });
const minute = fc.integer({ min: 0, max: 1439 });

const terms = fc.record(
  {
    mode: fc.constantFrom(...subscriptionModes),
    severity: fc.constantFrom(...severities),
    noProblems: fc.constantFrom(...noProblemsPolicies),
    mention: fc.constant("author" as const),
    digest: fc.constantFrom("0 9 * * 1-5", "*/15 8-18 1,15 * mon"),
    timeZone: fc.constantFrom("UTC", "Asia/Ho_Chi_Minh"),
    quiet: fc.record({ from: minute, to: minute }).filter(({ from, to }) => from !== to),
  },
  { requiredKeys: ["mode", "severity"] },
);

it("reads back what it wrote", () => {
  const filters = fc.record({
    branches: globs,
    notBranches: globs,
    paths: globs,
    notPaths: globs,
    authors: globs,
    notAuthors: globs,
  });
  fc.assert(
    fc.property(filters, terms, (given, said) => {
      const words = subscriptionWords("demo", given, said);
      expect(parseCommand(`subscribe ${words}`, ["demo"])).toEqual({
        ok: true,
        command: { verb: "subscribe", repository: "demo", filters: given, terms: said },
      });
    }),
  );
});
