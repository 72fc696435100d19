// Rules about errors, goroutines and formats in Go.
import type { SgNode } from "@ast-grep/napi";
import { bare, enclosing, kindOf, ofKind, type TreeMatch, type TreeRule } from "./tree-rule.ts";

function rule(
  name: string,
  key: TreeRule["key"],
  find: (root: SgNode) => readonly TreeMatch[],
  severity: TreeRule["severity"] = "high",
): TreeRule {
  return { name, key, severity, category: "correctness", find };
}

/** The statement behind this one, comments skipped. */
function following(statement: SgNode): SgNode | null {
  let next = statement.next();
  while (next !== null && (!next.isNamed() || next.kind() === "comment")) next = next.next();
  return next;
}

function targets(statement: SgNode): readonly string[] {
  return (
    statement
      .field("left")
      ?.namedChildren()
      .map((node) => node.text()) ?? []
  );
}

const errOverwritten = rule("err-overwritten", "go.errOverwritten", (root) =>
  ofKind(root, "short_var_declaration", "assignment_statement").flatMap((node) => {
    if (!/^(statement_list|block)$/.test(kindOf(node.parent()))) return [];
    const next = following(node);
    if (next === null || !/^(short_var_declaration|assignment_statement)$/.test(kindOf(next))) return [];
    const name = targets(node).find((target) => /^err[A-Z0-9]?\w*$/.test(target));
    if (name === undefined || node.field("right")?.find({ rule: { kind: "call_expression" } }) === null) return [];
    const uses = new RegExp(`\\b${name}\\b`);
    if (!targets(next).includes(name) || uses.test(next.field("right")?.text() ?? "")) return [];
    return next.field("right")?.find({ rule: { kind: "call_expression" } }) === null ? [] : [{ node: next }];
  }),
);

const deferBeforeCheck = rule("defer-before-check", "go.deferBeforeCheck", (root) =>
  ofKind(root, "defer_statement").flatMap((node) => {
    const closed = /^defer\s+(\w+)(\.Body)?\.Close\(\)$/.exec(node.text().trim());
    if (closed === null) return [];
    const previous = previousStatement(node);
    if (previous === null || !/^(short_var_declaration|assignment_statement)$/.test(kindOf(previous))) return [];
    const names = targets(previous);
    const call = previous.field("right")?.text() ?? "";
    const isQuery = /\.Query(Context)?\(/.test(call);
    if (names[0] !== closed[1] || !/^err/.test(names[1] ?? "") || (closed[2] === undefined && !isQuery)) return [];
    return [{ node, params: { operand: closed[1] ?? "" } }];
  }),
);

function previousStatement(statement: SgNode): SgNode | null {
  let previous = statement.prev();
  while (previous !== null && (!previous.isNamed() || previous.kind() === "comment")) previous = previous.prev();
  return previous;
}

const returnNilError = rule("return-nil-error", "go.returnNilError", (root) =>
  ofKind(root, "if_statement").flatMap((node) => {
    if (bare(node.field("condition")) !== "err==nil" || node.field("alternative") !== null) return [];
    const statements = node.field("consequence")?.findAll({ rule: { kind: "return_statement" } }) ?? [];
    const only =
      statements.length === 1 && bare(node.field("consequence")) === `{${bare(statements[0])}}`
        ? statements[0]
        : undefined;
    // `return value, err` hands over a result; only zero values beside the nil error show the swapped condition.
    return only !== undefined && /^return(nil,|"",|0,|false,)+err$/.test(bare(only)) ? [{ node: only }] : [];
  }),
);

const waitGroupAdd = rule("wait-group-add", "go.waitGroupAdd", (root) =>
  ofKind(root, "go_statement").flatMap((node) => {
    const literal = node.find({ rule: { kind: "func_literal" } });
    const first = literal?.find({
      rule: { kind: "call_expression", regex: "^(wg|waitGroup|\\w*[wW]g|\\w*WaitGroup)\\.Add\\(1\\)$" },
    });
    return first !== null && first !== undefined && enclosing(first, "func_literal")?.id() === literal?.id()
      ? [{ node: first }]
      : [];
  }),
);

const sleepUnit = rule(
  "sleep-unit",
  "go.sleepUnit",
  (root) =>
    ofKind(root, "call_expression").flatMap((node) =>
      /^time\.(Sleep|After|NewTimer|NewTicker|Tick)\([1-9]\d{0,3}\)$/.test(bare(node)) ? [{ node }] : [],
    ),
  "medium",
);

/** The number of values that a format takes, or null when it is beyond counting (indexes, stars). */
export function countVerbs(format: string): number | null {
  if (/%[^a-zA-Z%]*[*[]/.test(format)) return null;
  return (format.match(/%[-+# 0]*\d*(?:\.\d*)?[a-zA-Z%]/g) ?? []).filter((verb) => !verb.endsWith("%")).length;
}

const formatting =
  /^(fmt\.(Printf|Sprintf|Errorf|Fprintf)|log\.(Printf|Fatalf|Panicf)|(t|b)\.(Errorf|Fatalf|Logf|Skipf)|errors\.(Errorf|Wrapf))$/;

const formatCount: TreeRule = rule("format-count", "tree.formatCount", (root) =>
  ofKind(root, "call_expression").flatMap((node) => {
    const name = node.field("function")?.text() ?? "";
    const args =
      node
        .field("arguments")
        ?.namedChildren()
        .filter((child) => child.kind() !== "comment") ?? [];
    const at = /Fprintf$|Wrapf$/.test(name) ? 1 : 0;
    const format = args[at];
    if (!formatting.test(name) || format === undefined || !/_string_literal$/.test(kindOf(format))) return [];
    if (/\.\.\.\s*\)$/.test(node.text())) return [];
    const wanted = countVerbs(format.text());
    const given = args.length - at - 1;
    // One value may be a call that returns several.
    if (wanted === null || wanted === given || (given === 1 && args.at(-1)?.kind() === "call_expression")) return [];
    return [{ node, params: { wanted, given } }];
  }),
);

const formatUnused = rule(
  "format-unused",
  "tree.formatUnused",
  (root) =>
    ofKind(root, "call_expression").flatMap((node) => {
      const name = node.field("function")?.text() ?? "";
      const args = node.field("arguments")?.namedChildren() ?? [];
      const first = args[0];
      if (
        !/^(fmt\.(Println|Print|Sprint|Sprintln)|log\.(Println|Print|Fatal|Fatalln)|errors\.New)$/.test(name) ||
        first === undefined
      )
        return [];
      if (!/_string_literal$/.test(kindOf(first)) || (args.length === 1 && name !== "errors.New")) return [];
      return /%[-+#]?\d*[sdvqxTtpf](?![\w%])/.test(first.text()) && !/%%|\d%/.test(first.text())
        ? [{ node, params: { operand: name } }]
        : [];
    }),
  "medium",
);

const unusedResult = rule("unused-result", "tree.unusedResult", (root) =>
  ofKind(root, "expression_statement").flatMap((node) => {
    const call = node.namedChildren()[0];
    const name = call?.kind() === "call_expression" ? (call.field("function")?.text() ?? "") : "";
    return /^(fmt\.(Sprintf|Sprint|Sprintln|Errorf)|errors\.New|strings\.(Replace|ReplaceAll|TrimSpace|Trim|TrimPrefix|TrimSuffix|ToLower|ToUpper|Join|Split)|slices\.(Insert|Delete|Compact|Clip)|append)$/.test(
      name,
    )
      ? [{ node, params: { operand: name } }]
      : [];
  }),
);

const insecureTls: TreeRule = {
  name: "insecure-tls",
  key: "go.insecureTls",
  severity: "medium",
  category: "security",
  find: (root) =>
    ofKind(root, "keyed_element").flatMap((node) => (bare(node) === "InsecureSkipVerify:true" ? [{ node }] : [])),
};

export const goRules: readonly TreeRule[] = [
  errOverwritten,
  deferBeforeCheck,
  returnNilError,
  waitGroupAdd,
  sleepUnit,
  formatCount,
  formatUnused,
  unusedResult,
  insecureTls,
];
