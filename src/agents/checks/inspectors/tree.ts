// Finds defects by syntax trees in languages without an engine of their own: Go, C, C++, C#, Lua and shell scripts.
import type { SgNode } from "@ast-grep/napi";
import { type Complaint, type InspectedFile, type Inspector, inspected } from "../complaint.ts";
import { isSpecimen, type SourceKind, sourceKind } from "../source-kinds.ts";
import { bashRules } from "../tree-rules/bash.ts";
import { cppRules, cRules } from "../tree-rules/c-family.ts";
import { csharpRules } from "../tree-rules/csharp.ts";
import { goRules } from "../tree-rules/go.ts";
import { bitwiseRules, logicRules } from "../tree-rules/logic.ts";
import { luaRules } from "../tree-rules/lua.ts";
import { kindOf, type TreeRule } from "../tree-rules/tree-rule.ts";

interface Language {
  readonly title: string;
  readonly rules: readonly TreeRule[];
  /** Whether the grammar reads everything that the language's own compiler reads, so that an error node is an error. */
  readonly judgesSyntax: boolean;
}

const cLogic = logicRules({
  binary: "binary_expression",
  assignment: "assignment_expression",
  hasCStatements: true,
  comparesForNaN: true,
});

const languages: Partial<Record<SourceKind, Language>> = {
  // Macros make C and C++ unreadable without their preprocessor; shells allow more than the grammar knows.
  c: { title: "C", rules: [...cLogic, ...bitwiseRules, ...cRules], judgesSyntax: false },
  cpp: { title: "C++", rules: [...cLogic, ...bitwiseRules, ...cppRules], judgesSyntax: false },
  csharp: { title: "C#", rules: [...cLogic, ...csharpRules], judgesSyntax: true },
  go: {
    title: "Go",
    rules: [
      ...logicRules({
        binary: "binary_expression",
        assignment: "assignment_statement",
        hasCStatements: false,
        comparesForNaN: true,
      }),
      ...goRules,
    ],
    judgesSyntax: true,
  },
  lua: {
    title: "Lua",
    rules: [
      ...logicRules({
        binary: "binary_expression",
        assignment: "assignment_statement",
        hasCStatements: false,
        comparesForNaN: true,
      }),
      ...luaRules,
    ],
    judgesSyntax: true,
  },
  bash: { title: "shell", rules: bashRules, judgesSyntax: false },
};

type Parse = (language: string, text: string) => SgNode;

let loading: Promise<Parse> | null = null;

/** The native library takes grammars once in a process's life, so all of them are registered together (30 ms). */
function loadParser(): Promise<Parse> {
  loading ??= (async () => {
    const [{ parse, registerDynamicLanguage }, go, c, cpp, csharp, lua, bash] = await Promise.all([
      import("@ast-grep/napi"),
      import("@ast-grep/lang-go"),
      import("@ast-grep/lang-c"),
      import("@ast-grep/lang-cpp"),
      import("@ast-grep/lang-csharp"),
      import("@ast-grep/lang-lua"),
      import("@ast-grep/lang-bash"),
    ]);
    registerDynamicLanguage({
      go: go.default,
      c: c.default,
      cpp: cpp.default,
      csharp: csharp.default,
      lua: lua.default,
      bash: bash.default,
    });
    return (language, text) => parse(language, text).root();
  })();
  return loading;
}

/** A token that the parser had to invent to go on: a node without text. */
function findMissing(root: SgNode): SgNode | null {
  const empty = root.findAll({ rule: { regex: "^$" } });
  return empty.find((node) => !node.isNamed() || kindOf(node).endsWith("identifier")) ?? null;
}

/** The first place that the grammar cannot read. */
function findSyntaxMistake(file: InspectedFile, root: SgNode, title: string): readonly Complaint[] {
  const mistake = root.find({ rule: { kind: "ERROR" } }) ?? findMissing(root);
  // Conditional compilation cuts through statements, and templates are no code yet.
  if (
    mistake === null ||
    /^[ \t]{0,200}#[ \t]{0,20}(if|else|endif)\b/m.test(file.text) ||
    /\{\{|\{%|<%/.test(file.text)
  )
    return [];
  return [
    {
      rule: "tree/syntax",
      file: file.path,
      line: mistake.range().start.line + 1,
      severity: "high",
      category: "syntax",
      message: { key: "syntax.code", params: { language: title } },
    },
  ];
}

export function findTreeMistakes(
  file: InspectedFile,
  kind: string,
  language: Language,
  parse: Parse,
): readonly Complaint[] {
  const root = parse(kind, file.text);
  const complaints: Complaint[] = [];
  if (language.judgesSyntax) {
    const mistakes = findSyntaxMistake(file, root, language.title);
    // What follows an unreadable place is guesswork.
    if (mistakes.length > 0) return mistakes;
  }
  for (const rule of language.rules) {
    if (rule.category === "security" && isSpecimen(file.path)) continue;
    for (const { node, params } of rule.find(root)) {
      // Inside a place that the parser could not read, the tree says little.
      if (
        node.ancestors().some((around) => around.kind() === "ERROR") ||
        node.find({ rule: { kind: "ERROR" } }) !== null
      )
        continue;
      complaints.push({
        rule: `tree/${rule.name}`,
        file: file.path,
        line: node.range().start.line + 1,
        severity: rule.severity,
        category: rule.category,
        message: { key: rule.key, ...(params === undefined ? {} : { params }) },
      });
    }
  }
  return complaints;
}

export function createTreeInspector(): Inspector {
  return {
    name: "ast-grep",
    fits: (path) => languages[sourceKind(path)] !== undefined,
    async inspect(side) {
      const parse = await loadParser();
      const complaints = side.files.flatMap((file) => {
        const kind = sourceKind(file.path);
        const language = languages[kind];
        return language === undefined ? [] : findTreeMistakes(file, kind, language, parse);
      });
      return inspected("ast-grep", complaints);
    },
  };
}
