// Rules about exceptions, formats and texts in C#.
import type { SgNode } from "@ast-grep/napi";
import { bare, enclosing, ofKind, type TreeMatch, type TreeRule } from "./tree-rule.ts";

function rule(
  name: string,
  key: TreeRule["key"],
  severity: TreeRule["severity"],
  find: (root: SgNode) => readonly TreeMatch[],
): TreeRule {
  return { name, key, severity, category: key === "csharp.binaryFormatter" ? "security" : "correctness", find };
}

const rethrow = rule("rethrow", "csharp.rethrow", "low", (root) =>
  ofKind(root, "throw_statement").flatMap((node) => {
    const thrown = node.namedChildren()[0];
    const clause = enclosing(node, "catch_clause");
    const caught = clause
      ?.find({ rule: { kind: "catch_declaration" } })
      ?.field("name")
      ?.text();
    if (thrown?.kind() !== "identifier" || caught === undefined || thrown.text() !== caught) return [];
    return new RegExp(`\\b${caught}\\s*=[^=]`).test(clause?.text() ?? "")
      ? []
      : [{ node, params: { operand: caught } }];
  }),
);

const binaryFormatter = rule("binary-formatter", "csharp.binaryFormatter", "high", (root) =>
  ofKind(root, "object_creation_expression").flatMap((node) =>
    /^new\s+[\w.]*BinaryFormatter\b/.test(node.text()) ? [{ node }] : [],
  ),
);

const formatCount = rule("format-count", "tree.formatCount", "high", (root) =>
  ofKind(root, "invocation_expression").flatMap((node) => {
    const name = node.field("function")?.text() ?? "";
    if (!/^([sS]tring\.Format|Console\.Write(Line)?|Debug\.Log(Warning|Error)?Format)$/.test(name)) return [];
    const args = node.field("arguments")?.namedChildren() ?? [];
    const format = args[0]?.text() ?? "";
    if (!/^@?"/.test(format) || (args.length < 2 && name.startsWith("Console"))) return [];
    const indexes = [...format.replace(/\{\{|\}\}/g, "").matchAll(/\{(\d+)[,:}]/g)].map((match) => Number(match[1]));
    const wanted = indexes.length === 0 ? 0 : Math.max(...indexes) + 1;
    const given = args.length - 1;
    // One value may be an array with all of them.
    return wanted > given &&
      !(
        given === 1 &&
        /^[A-Za-z_]\w*$/.test(args[1]?.text() ?? "") &&
        wanted > 1 &&
        /args|params|values/i.test(args[1]?.text() ?? "")
      )
      ? [{ node, params: { wanted, given } }]
      : [];
  }),
);

const unusedResult = rule("unused-result", "tree.unusedResult", "high", (root) =>
  ofKind(root, "expression_statement").flatMap((node) => {
    const call = node.namedChildren()[0];
    const name =
      /\.(Trim|TrimStart|TrimEnd|ToUpper|ToLower|ToUpperInvariant|ToLowerInvariant|Substring|PadLeft|PadRight)$/.exec(
        call?.field("function")?.text() ?? "",
      )?.[1];
    return call?.kind() === "invocation_expression" && name !== undefined && !/\bawait\b/.test(bare(call))
      ? [{ node, params: { operand: name } }]
      : [];
  }),
);

export const csharpRules: readonly TreeRule[] = [rethrow, binaryFormatter, formatCount, unusedResult];
