// Which complaints of tsc hold when most of the program is absent: a review sees some files, no packages and no settings.
import type { Diagnostic } from "../../ports/check-engine.ts";

/**
 * Codes of the checker that follow from the file's own text alone. An unresolved import is an `any` that silences what it
 * touches, but four things go wrong around it and rule whole families of codes out: a class or interface that extends it
 * loses members (2339, 2353, 2416, 2420, 2739–2741) and constructor parameters (2554), `keyof` it becomes a union of
 * primitives, missing globals are unknown names (2304, 2503, 2552, 2580, 2591, 18004), and another library or version
 * declares the same name otherwise (2339, 2769).
 */
const certain: ReadonlySet<number> = new Set([
  // declared twice, or out of place
  2300, 2309, 2323, 2389, 2391, 2393, 2440, 2451, 2528, 2669,
  // used before its declaration
  2448, 2449, 2450,
  // assignments to what cannot be assigned
  2364, 2540, 2588, 2628, 2629, 2630, 2631, 2632, 2777, 2779,
  // functions that promise a value and give none
  2355, 2378,
  // super and this
  2335, 2337, 2338, 2376, 2377, 2401, 17009, 17011,
  // abstract classes
  2511,
  // conditions that are decided by their own syntax
  2839, 2845, 2869, 2870, 2871, 2872, 2873,
  // unreachable code, unused labels
  7027, 7028,
  // private names
  18009, 18010, 18011, 18012, 18013, 18016, 18019, 18022, 18024, 18029, 18030, 18037, 18038, 18041,
]);

/** Grammar codes (1002–1199 and some above) that depend on options or on other files after all. */
const uncertainGrammar: ReadonlySet<number> = new Set([1016, 1056, 1064, 1148, 1149, 1192]);

/** Complaints about two types, which hold where both are primitive: no import can have changed these. */
const compared: ReadonlyMap<number, RegExp> = (() => {
  const literal = String.raw`(?:string|number|bigint|boolean|symbol|true|false|-?\d[\d.e+-]*n?|"(?:[^"\\]|\\.)*")`;
  const union = `${literal}(?: \\| ${literal})*`;
  return new Map([
    // The source side must be a single primitive: \`keyof\` of an unresolved type is a union of them.
    [2322, new RegExp(`^Type '${literal}' is not assignable to type '${union}'\\.$`)],
    [2345, new RegExp(`^Argument of type '${literal}' is not assignable to parameter of type '${union}'\\.$`)],
    [2365, new RegExp(`^Operator '[^']+' cannot be applied to types '${literal}' and '${literal}'\\.$`)],
    [
      2367,
      new RegExp(
        `^This comparison appears to be unintentional because the types '${literal}' and '${literal}' have no overlap\\.$`,
      ),
    ],
    [2678, new RegExp(`^Type '${literal}' is not comparable to type '${literal}'\\.$`)],
  ]);
})();

const warnings: ReadonlySet<number> = new Set([7027, 7028]);

/** The diagnostics that hold without the rest of the program. */
export function onlyCertain(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const kept: Diagnostic[] = [];
  for (const diagnostic of diagnostics) {
    const code = Number(diagnostic.rule.slice(2));
    if (!holds(code, diagnostic.message)) continue;
    kept.push(warnings.has(code) ? { ...diagnostic, severity: "warning" } : diagnostic);
  }
  return kept;
}

function holds(code: number, message: string): boolean {
  if (certain.has(code)) return true;
  if (code >= 1002 && code <= 1199) return !uncertainGrammar.has(code);
  if (code >= 17000 && code <= 17021) return code !== 17004;
  return compared.get(code)?.test(message) ?? false;
}

/**
 * Options under which the least is assumed: newest syntax, nothing resolved or loaded beyond the given files, each a module of
 * its own (so that two scripts do not redeclare each other's or the browser's names), no strictness that the project may not want.
 */
export const partialOptions = {
  noEmit: true,
  noResolve: true,
  target: "esnext",
  lib: ["esnext", "dom", "dom.iterable"],
  module: "preserve",
  moduleResolution: "bundler",
  moduleDetection: "force",
  allowImportingTsExtensions: true,
  experimentalDecorators: true,
  jsx: "preserve",
  types: [],
  strict: false,
  skipLibCheck: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
} as const;
