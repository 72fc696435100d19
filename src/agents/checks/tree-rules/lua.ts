// Rules about scopes, tables and loops in Lua.
import type { SgNode } from "@ast-grep/napi";
import {
  bare,
  enclosing,
  kindOf,
  ofKind,
  operandsOf,
  operatorOf,
  quote,
  type TreeMatch,
  type TreeRule,
} from "./tree-rule.ts";

function rule(name: string, key: TreeRule["key"], find: (root: SgNode) => readonly TreeMatch[]): TreeRule {
  return { name, key, severity: "medium", category: "correctness", find };
}

/** Every place where a name is declared local, with the byte range in which it is known. */
function localScopes(root: SgNode): ReadonlyMap<string, readonly { readonly start: number; readonly end: number }[]> {
  const scopes = new Map<string, { start: number; end: number }[]>();
  const add = (name: string, declaration: SgNode, scope: SgNode | null): void => {
    const entry = { start: declaration.range().start.index, end: (scope ?? root).range().end.index };
    scopes.set(name, [...(scopes.get(name) ?? []), entry]);
  };
  for (const node of ofKind(root, "variable_declaration")) {
    const names = node.find({ rule: { kind: "variable_list" } }) ?? node;
    for (const name of names.namedChildren()) if (name.kind() === "identifier") add(name.text(), node, node.parent());
  }
  for (const node of ofKind(root, "function_declaration")) {
    const name = node.field("name");
    if (/^local\b/.test(node.text()) && name !== null) add(name.text(), node, node.parent());
  }
  for (const node of ofKind(root, "parameters"))
    for (const name of node.namedChildren()) add(name.text(), node, node.parent());
  for (const node of ofKind(root, "for_numeric_clause", "for_generic_clause")) {
    for (const name of node.findAll({ rule: { kind: "identifier" } })) add(name.text(), node, node.parent());
  }
  return scopes;
}

const accidentalGlobal = rule("accidental-global", "lua.accidentalGlobal", (root) => {
  const scopes = localScopes(root);
  const global = new Set<string>();
  const suspects: { readonly name: string; readonly node: SgNode }[] = [];
  for (const node of ofKind(root, "assignment_statement")) {
    if (node.parent()?.kind() === "variable_declaration") continue;
    for (const target of node.find({ rule: { kind: "variable_list" } })?.namedChildren() ?? []) {
      if (target.kind() !== "identifier") continue;
      const at = target.range().start.index;
      if (scopes.get(target.text())?.some((scope) => at >= scope.start && at <= scope.end)) continue;
      if (enclosing(node, "function_declaration", "function_definition") === null) global.add(target.text());
      else suspects.push({ name: target.text(), node });
    }
  }
  // Only a name that the author made local elsewhere is surely meant to be; others may be globals by design.
  return suspects.flatMap(({ name, node }) =>
    scopes.has(name) && !global.has(name) ? [{ node, params: { operand: name } }] : [],
  );
});

const notPrecedence = rule("not-precedence", "tree.notPrecedence", (root) =>
  ofKind(root, "binary_expression").flatMap((node) => {
    const operands = operandsOf(node);
    if (operands === null || !/^(==|~=)$/.test(operatorOf(node)) || operands[0].kind() !== "unary_expression")
      return [];
    // `not a == true` and `not a == not b` compare truth values.
    if (!/^not\b/.test(operands[0].text()) || /^(true|false|not\b)/.test(operands[1].text())) return [];
    return [{ node, params: { operand: quote(operands[0].namedChildren()[0] ?? operands[0]) } }];
  }),
);

const repeatedKey = rule("repeated-key", "tree.repeatedKey", (root) =>
  ofKind(root, "table_constructor").flatMap((table) => {
    const seen = new Set<string>();
    return table.namedChildren().flatMap((field) => {
      const name = field.kind() === "field" ? field.field("name") : null;
      if (name === null || !/^(identifier|string|number)$/.test(kindOf(name))) return [];
      const key = bare(name).replace(/^(["'])(.*)\1$/, "$2");
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [{ node: field, params: { operand: key } }];
    });
  }),
);

const emptyRange = rule("empty-range", "lua.emptyRange", (root) =>
  ofKind(root, "for_numeric_clause").flatMap((node) => {
    const range = /=\s*(-?\d+|#[\w.]+)\s*,\s*(-?\d+)\s*$/.exec(node.text());
    if (range === null) return [];
    const never = range[1]?.startsWith("#")
      ? range[2] === "1" || range[2] === "0"
      : Number(range[1]) > Number(range[2]);
    return never ? [{ node }] : [];
  }),
);

const formatCount = rule("format-count", "tree.formatCount", (root) =>
  ofKind(root, "function_call").flatMap((node) => {
    if (node.field("name")?.text() !== "string.format") return [];
    const args = node.field("arguments")?.namedChildren() ?? [];
    if (args[0]?.kind() !== "string" || /\.\.\.|unpack/.test(node.text())) return [];
    const wanted = (args[0].text().match(/%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%]/g) ?? []).filter(
      (verb) => !verb.endsWith("%"),
    ).length;
    const given = args.length - 1;
    return wanted > given && args.at(-1)?.kind() !== "function_call" ? [{ node, params: { wanted, given } }] : [];
  }),
);

export const luaRules: readonly TreeRule[] = [accidentalGlobal, notPrecedence, repeatedKey, emptyRange, formatCount];
