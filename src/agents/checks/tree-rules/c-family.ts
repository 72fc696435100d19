// Rules about memory, texts and formats in C and C++.
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

interface Call {
  readonly node: SgNode;
  readonly name: string;
  readonly args: readonly SgNode[];
}

function argumentsOf(call: SgNode): readonly SgNode[] {
  return (
    call
      .field("arguments")
      ?.namedChildren()
      .filter((child) => child.kind() !== "comment") ?? []
  );
}

function callsTo(root: SgNode, names: RegExp): readonly Call[] {
  return ofKind(root, "call_expression").flatMap((node) => {
    const name =
      node
        .field("function")
        ?.text()
        .replace(/^std::/, "") ?? "";
    return names.test(name) ? [{ node, name, args: argumentsOf(node) }] : [];
  });
}

function rule(
  name: string,
  key: TreeRule["key"],
  category: "security" | "correctness",
  find: (root: SgNode) => readonly TreeMatch[],
): TreeRule {
  return { name, key, severity: "high", category, find };
}

const gets = rule("gets", "c.gets", "security", (root) =>
  callsTo(root, /^gets$/)
    .filter(({ args }) => args.length === 1)
    .map(({ node }) => ({ node })),
);

const scanf = rule("scanf-unbounded", "c.scanfUnbounded", "security", (root) =>
  callsTo(root, /^[fs]?scanf$/).flatMap(({ node, name, args }) => {
    const format = args[name === "scanf" ? 0 : 1];
    return format?.kind() === "string_literal" && /(^|[^%])(%%)*%s/.test(format.text()) ? [{ node }] : [];
  }),
);

/** Names of the parameters of the function around a node. */
function parametersAround(node: SgNode): readonly string[] {
  const around = enclosing(node, "function_definition");
  const list = around?.find({ rule: { kind: "parameter_list" } });
  return (list?.namedChildren() ?? []).flatMap(
    (parameter) =>
      parameter
        .findAll({ rule: { kind: "identifier" } })
        .at(-1)
        ?.text() ?? [],
  );
}

const formatString = rule("format-string", "c.formatString", "security", (root) =>
  callsTo(root, /^(printf|fprintf|syslog|sprintf|snprintf|vsyslog|wprintf|err|warn)$/).flatMap(
    ({ node, name, args }) => {
      const at = /^(printf|wprintf)$/.test(name) ? 0 : name === "snprintf" ? 2 : 1;
      const format = args[at];
      if (format === undefined || args.length !== at + 1 || !/^(identifier|subscript_expression)$/.test(kindOf(format)))
        return [];
      const base = /^\w+/.exec(format.text())?.[0] ?? "";
      // A parameter named for it is a format on purpose (wrappers of printf).
      if (!parametersAround(node).includes(base) || /fmt|format|usage/i.test(base)) return [];
      return [{ node, params: { operand: quote(format) } }];
    },
  ),
);

/** Declared sizes of the fixed arrays in the function around a node. */
function localArrays(node: SgNode): ReadonlyMap<string, SgNode> {
  const around = enclosing(node, "function_definition");
  const arrays = new Map<string, SgNode>();
  for (const array of around === null ? [] : ofKind(around, "array_declarator")) {
    const name = array.field("declarator")?.text();
    if (name !== undefined && /^\w+$/.test(name) && enclosing(array, "parameter_declaration") === null)
      arrays.set(name, array);
  }
  return arrays;
}

const unboundedCopy = rule("unbounded-copy", "c.unboundedCopy", "security", (root) =>
  callsTo(root, /^(strcpy|strcat|sprintf)$/).flatMap(({ node, name, args }) => {
    const [target] = args;
    if (target === undefined || !localArrays(node).has(target.text())) return [];
    const parameters = parametersAround(node);
    // A length that was looked at anywhere before is taken for a check.
    const before = enclosing(node, "function_definition")?.text() ?? "";
    const isOutside = (value: SgNode | undefined): boolean => {
      const base = /^\w+/.exec(value?.text() ?? "")?.[0] ?? "";
      return parameters.includes(base) && !new RegExp(`strn?len\\s*\\(\\s*${base}`).test(before);
    };
    if (name === "sprintf") {
      const format = args[1]?.text() ?? "";
      const specifiers = format.match(/%[^%a-zA-Z]*[a-zA-Z]/g) ?? [];
      const text = specifiers.findIndex((specifier) => /^%-?\d*s$/.test(specifier));
      return text >= 0 && args[text + 2]?.kind() === "identifier" && isOutside(args[text + 2])
        ? [{ node, params: { operand: name } }]
        : [];
    }
    return isOutside(args[1]) ? [{ node, params: { operand: name } }] : [];
  }),
);

const memsetOrder = rule("memset-order", "c.memsetOrder", "correctness", (root) =>
  callsTo(root, /^memset$/).flatMap(({ node, args }) =>
    args.length === 3 && args[2]?.text() === "0" && args[1]?.text() !== "0" ? [{ node }] : [],
  ),
);

const mallocStrlen = rule("malloc-strlen", "c.mallocStrlen", "correctness", (root) =>
  callsTo(root, /^(malloc|alloca)$/).flatMap(({ node, args }) => {
    const size = args[0];
    if (size?.kind() !== "call_expression" || size.field("function")?.text() !== "strlen") return [];
    const target = /(\w+)\s*=\s*(?:\([^)]*\)\s*)?$/.exec(
      (enclosing(node, "declaration", "expression_statement")?.text() ?? "").split(/malloc|alloca/)[0] ?? "",
    )?.[1];
    const body = enclosing(node, "function_definition")?.text() ?? "";
    return target !== undefined && new RegExp(`str(cpy|cat)\\s*\\(\\s*${target}\\b`).test(body) ? [{ node }] : [];
  }),
);

/** The variable that a statement `free(x);` or `delete x;` releases. */
function released(statement: SgNode): string | null {
  if (statement.kind() !== "expression_statement") return null;
  const expression = statement.namedChildren()[0];
  if (expression?.kind() === "delete_expression") return bare(expression.namedChildren().at(-1));
  if (expression?.kind() !== "call_expression" || expression.field("function")?.text() !== "free") return null;
  const [target] = argumentsOf(expression);
  return target !== undefined && /^[\w.]+(->\w+)*$/.test(bare(target)) ? bare(target) : null;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Statements that follow one another for certain after a release, up to anything that may leave, branch or reassign. */
function afterRelease(root: SgNode, judge: (target: string, statement: SgNode) => boolean): readonly TreeMatch[] {
  return ofKind(root, "expression_statement").flatMap((statement) => {
    const target = released(statement);
    if (target === null) return [];
    for (let next = statement.next(); next !== null; next = next.next()) {
      if (next.kind() === "comment" || !next.isNamed()) continue;
      if (judge(target, next)) return [{ node: next, params: { operand: target } }];
      const plain = /^(expression_statement|declaration|return_statement)$/.test(kindOf(next));
      if (!plain || new RegExp(`(?<![\\w.>])${escapeRegExp(target)}(?![\\w.\\[]|->)`).test(bare(next))) return [];
    }
    return [];
  });
}

const doubleFree = rule("double-free", "c.doubleFree", "correctness", (root) =>
  afterRelease(root, (target, statement) => released(statement) === target),
);

const useAfterFree = rule("use-after-free", "c.useAfterFree", "correctness", (root) =>
  afterRelease(root, (target, statement) => {
    if (!/^(expression_statement|declaration|return_statement)$/.test(kindOf(statement))) return false;
    const text = statement.text().replace(/\s+/g, " ");
    const name = escapeRegExp(target);
    return (
      new RegExp(`(?<![\\w.>&])${name}(->|\\[)|(?<![\\w)\\]])\\*${name}(?![\\w.\\[]|->)`).test(text) &&
      !new RegExp(`^${name} ?=|sizeof`).test(text)
    );
  }),
);

const returnLocal = rule("return-local", "c.returnLocal", "correctness", (root) =>
  ofKind(root, "return_statement").flatMap((node) => {
    const [value] = node.namedChildren();
    const around = enclosing(node, "function_definition");
    if (value?.kind() !== "identifier" || around === null || enclosing(node, "lambda_expression") !== null) return [];
    // Only a function that returns a pointer returns the address; std::string copies.
    if (around.field("declarator")?.kind() !== "pointer_declarator") return [];
    // Another declaration of the name, say of a pointer in an inner block, may be the one that is returned.
    if (new RegExp(`[*&]\\s*${value.text()}\\s*[=;,)]`).test(around.text())) return [];
    const array = localArrays(node).get(value.text());
    const declaration = array === undefined ? null : enclosing(array, "declaration");
    return declaration !== null && !/^(static|thread_local|extern)\b|\bstatic\b/.test(declaration.text())
      ? [{ node, params: { operand: value.text() } }]
      : [];
  }),
);

const stringComparison = rule("string-comparison", "c.stringComparison", "correctness", (root) =>
  ofKind(root, "binary_expression").flatMap((node) =>
    /^[!=]=$/.test(operatorOf(node)) &&
    (operandsOf(node) ?? []).some((operand) => operand.kind() === "string_literal") &&
    enclosing(node, "preproc_if", "preproc_elif") === null
      ? [{ node }]
      : [],
  ),
);

const deleteMismatch = rule("delete-mismatch", "cpp.deleteMismatch", "correctness", (root) =>
  ofKind(root, "delete_expression").flatMap((node) => {
    const target = node.namedChildren().at(-1);
    if (target?.kind() !== "identifier" || /^delete\s*\[/.test(node.text())) return [];
    const body = enclosing(node, "function_definition")?.text() ?? "";
    const name = target.text();
    const assigned = [
      ...body.matchAll(
        new RegExp(
          `\\b${name}\\s*(?:=|\\{|\\()\\s*(?:\\(\\w+\\s*\\*\\))?\\s*new\\s+[\\w:<>]+(?:\\s*\\*)*\\s*(\\[)?`,
          "g",
        ),
      ),
    ];
    // Every allocation that this function gives to the name is an array.
    return assigned.length > 0 && assigned.every((match) => match[1] === "[")
      ? [{ node, params: { operand: name } }]
      : [];
  }),
);

const shared = [
  gets,
  scanf,
  formatString,
  unboundedCopy,
  memsetOrder,
  mallocStrlen,
  doubleFree,
  useAfterFree,
  returnLocal,
];

/** `==` on texts is right for C++ classes, so that rule is C's alone. */
export const cRules: readonly TreeRule[] = [...shared, stringComparison];
export const cppRules: readonly TreeRule[] = [...shared, deleteMismatch];
