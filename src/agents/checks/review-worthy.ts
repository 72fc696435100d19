// Decides which complaints of oxlint, tsc and biome deserve a reviewer's time, and how grave they are.
import type { Severity } from "../../core/problem.ts";
import type { Diagnostic } from "../../ports/check-engine.ts";
import type { Category, Complaint } from "./complaint.ts";
import { isSpecimen } from "./source-kinds.ts";

interface Grade {
  readonly severity: Severity;
  readonly category: Category;
}

const broken: Grade = { severity: "high", category: "correctness" };
const wrong: Grade = { severity: "medium", category: "correctness" };
const dubious: Grade = { severity: "low", category: "correctness" };
const unsafe: Grade = { severity: "high", category: "security" };

function grades(grade: Grade, names: string): readonly (readonly [string, Grade])[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [name, grade] as const);
}

/** Rules whose complaint is a defect whatever the project's taste; a rule that is missing here is not reported. */
const lintGrades: ReadonlyMap<string, Grade> = new Map([
  ...grades(
    broken,
    `
    constructor-super no-class-assign no-const-assign no-func-assign no-import-assign no-obj-calls no-this-before-super
    no-invalid-regexp no-new-native-nonconstructor valid-typeof use-isnan for-direction missing-throw
    no-unsafe-optional-chaining no-unsafe-negation no-global-assign no-setter-return
    no-async-promise-executor no-dupe-args bad-min-max-func bad-comparison-sequence number-arg-out-of-range
    uninvoked-array-callback bad-char-at-comparison no-invalid-fetch-options no-single-promise-in-promise-methods
    no-await-in-promise-methods bad-array-method-on-arguments`,
  ),
  ...grades(
    wrong,
    `
    no-compare-neg-zero no-cond-assign no-constant-binary-expression no-dupe-class-members no-dupe-else-if no-dupe-keys
    no-duplicate-case no-empty-character-class no-ex-assign no-self-assign no-self-compare no-sparse-arrays
    no-unreachable no-unsafe-finally no-loss-of-precision no-useless-backreference bad-object-literal-comparison bad-match-all-arg bad-replace-all-arg const-comparisons double-comparisons erasing-op
    no-array-delete no-duplicate-enum-values no-for-in-array no-misused-new no-non-null-asserted-optional-chain
    no-unsafe-unary-minus no-invalid-remove-event-listener bad-bitwise-operator no-misleading-character-class
    no-delete-var jsx-no-duplicate-props no-children-prop void-dom-elements-no-children no-direct-mutation-state
    no-unassigned-vars no-nonoctal-decimal-escape no-unsafe-declaration-merging
    no-accessor-recursion no-array-fill-with-reference-type no-new-statics
    misrefactored-assign-op no-unexpected-multiline no-constant-condition
    noConstantMathMinMaxClamp noStringCaseMismatch noUnreachableSuper noInvalidGridAreas noUnmatchableAnbSelector
    noInvalidDirectionInLinearGradient noInvalidPositionAtImportRule noDuplicateFields noShorthandPropertyOverrides
    noDuplicateTestHooks noDuplicateSelectorsKeyframeBlock`,
  ),
  ...grades(dubious, "no-debugger no-focused-tests no-duplicate-type-constituents no-extra-non-null-assertion"),
  ...grades(unsafe, "no-eval no-implied-eval no-new-func no-script-url jsx-no-script-url no-danger-with-children"),
]);

/** Biome's names for what oxlint knows under another. */
const biomeNames: Readonly<Record<string, string>> = {
  noAssignInExpressions: "",
  noCompareNegZero: "no-compare-neg-zero",
  noConstAssign: "no-const-assign",
  noDuplicateObjectKeys: "no-dupe-keys",
  noDuplicateClassMembers: "no-dupe-class-members",
  noDuplicateCase: "no-duplicate-case",
  noDuplicateElseIf: "no-dupe-else-if",
  noDuplicateParameters: "no-dupe-args",
  noSelfCompare: "no-self-compare",
  noSelfAssign: "no-self-assign",
  noSetterReturn: "no-setter-return",
  noUnreachable: "no-unreachable",
  noUnsafeFinally: "no-unsafe-finally",
  noUnsafeOptionalChaining: "no-unsafe-optional-chaining",
  useIsNan: "use-isnan",
  useValidTypeof: "valid-typeof",
  useGetterReturn: "getter-return",
  noSparseArray: "no-sparse-arrays",
  noAsyncPromiseExecutor: "no-async-promise-executor",
  noUnsafeNegation: "no-unsafe-negation",
  noImportAssign: "no-import-assign",
  noFunctionAssign: "no-func-assign",
  noClassAssign: "no-class-assign",
  noGlobalObjectCalls: "no-obj-calls",
  noInvalidBuiltinInstantiation: "no-new-native-nonconstructor",
  noUnreachableSuper: "no-this-before-super",
  noInvalidConstructorSuper: "constructor-super",
  useYield: "require-yield",
  noDebugger: "no-debugger",
  noDuplicateJsxProps: "jsx-no-duplicate-props",
  noVoidElementsWithChildren: "void-dom-elements-no-children",
  noDangerouslySetInnerHtmlWithChildren: "no-danger-with-children",
  noGlobalEval: "no-eval",
  noFocusedTests: "no-focused-tests",
  noPrecisionLoss: "no-loss-of-precision",
  useValidForDirection: "for-direction",
  noMisleadingInstantiator: "no-misused-new",
  noUnsafeDeclarationMerging: "no-unsafe-declaration-merging",
};

/** `eslint(no-dupe-keys)`, `lint/suspicious/noDebugger` or a bare name, as one bare name. */
export function bareRule(rule: string): string {
  const inner = /\(([^)]+)\)/.exec(rule)?.[1] ?? rule;
  return inner.slice(inner.lastIndexOf("/") + 1);
}

function isParseError(diagnostic: Diagnostic): boolean {
  return (
    diagnostic.engine !== "tsc" &&
    /^(parse|syntax|syntax-error|parse-error|fatal|oxc)?$/i.test(bareRule(diagnostic.rule))
  );
}

/** Labels that nobody jumps to, and conflict markers, which are looked for in every kind of file. */
const ignoredCodes = new Set([7028, 1185]);

/** Conditions and keys whose mistake is one of logic, although a type checker noticed. */
const logicCodes = new Set([1117, 1118, 2367, 2678, 2839, 2845, 2869, 2870, 2871, 2872, 2873, 7027]);

/** Complaints about two types. Either may be inferred from an import that is not there, unless the line shows the value. */
const comparingCodes = new Set([2322, 2345, 2365, 2367, 2678]);

const literals: Readonly<Record<string, RegExp>> = {
  string: /["'`]/,
  number: /(?<![\w.])\d[\d_.]*(?![\w.])/,
  bigint: /(?<![\w.])\d[\d_]*n\b/,
  boolean: /\b(?:true|false)\b/,
};

function isDoubtful(diagnostic: Diagnostic, code: number, line: string): boolean {
  // Tests of types are wrong on purpose.
  // A wanted `true` or `false` is the outcome of a calculation with types.
  if (comparingCodes.has(code) && /to (?:parameter of )?type '(?:true|false)'/.test(diagnostic.message)) return true;
  return comparingCodes.has(code) && (isSpecimen(diagnostic.file) || !showsValue(diagnostic.message, line));
}

/** Whether the line itself shows a value of the type that the complaint names first, so that no inference is involved. */
function showsValue(message: string, line: string): boolean {
  const type = /type(?:s)? '([^']+)'/i.exec(message)?.[1] ?? "";
  const kind = /^["']/.test(type)
    ? "string"
    : /^-?\d/.test(type)
      ? "number"
      : /^(true|false)$/.test(type)
        ? "boolean"
        : type;
  return literals[kind]?.test(line) ?? false;
}

/** The engine keeps only codes that hold without the rest of the program; here they get their gravity. */
function assessCompiler(diagnostic: Diagnostic, line: string): Complaint | null {
  const code = Number(/\d+/.exec(diagnostic.rule)?.[0] ?? 0);
  if (ignoredCodes.has(code) || isDoubtful(diagnostic, code, line)) return null;
  const rule = `tsc/${diagnostic.rule}`;
  const isGrammar = (code >= 1002 && code <= 1199) || (code >= 17000 && code <= 17021);
  if (logicCodes.has(code)) return complain(diagnostic, rule, wrong);
  if (isGrammar) return complain(diagnostic, rule, { severity: "high", category: "syntax" });
  return complain(diagnostic, rule, diagnostic.severity === "error" ? { severity: "high", category: "types" } : wrong);
}

/** A complaint worth a finding, or null. `line` is the text of the line complained of. */
export function assess(diagnostic: Diagnostic, line: string): Complaint | null {
  if (diagnostic.engine === "tsc") return assessCompiler(diagnostic, line);
  const bare = bareRule(diagnostic.rule);
  if (isParseError(diagnostic)) {
    // oxlint and tsc read the same scripts; what biome alone cannot read is a dialect of styles or its own strictness.
    if (diagnostic.engine === "biome") return null;
    return diagnostic.severity === "error"
      ? complain(diagnostic, `${diagnostic.engine}/syntax`, { severity: "high", category: "syntax" })
      : null;
  }
  const name = diagnostic.engine === "biome" ? (biomeNames[bare] ?? bare) : bare;
  const grade = lintGrades.get(name);
  // `(seen = true) && …` notes something on the way.
  if (name === "no-constant-binary-expression" && /\([\w.]+ = [^=()]+\) (?:&&|\|\|)/.test(line)) return null;
  // A test may fail loudly, and `let x!: T` promises a value.
  if (name === "no-unsafe-optional-chaining" && isSpecimen(diagnostic.file)) return null;
  if (name === "no-unassigned-vars" && line.includes("!:")) return null;
  // `!value || value` compares nothing.
  if (name === "const-comparisons" && !/[<>]|[!=]==?/.test(line)) return null;
  // `x !== x` asks whether x is NaN.
  if (name === "no-self-compare" && /([\w.]+)\s*[!=]==?\s*\1(?![\w.(])/.test(line)) return null;
  // Both linters' names become one, so that a defect keeps its identity whichever of them noticed.
  return grade === undefined ? null : complain(diagnostic, `lint/${name}`, grade);
}

function complain(diagnostic: Diagnostic, rule: string, grade: Grade): Complaint {
  return {
    rule,
    file: diagnostic.file,
    line: diagnostic.line,
    ...(diagnostic.related === undefined ? {} : { related: diagnostic.related }),
    severity: grade.severity,
    category: grade.category,
    message: { text: diagnostic.message },
  };
}
