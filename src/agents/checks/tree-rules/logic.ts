// Rules about conditions, branches and loops that hold in every language with such statements.
import type { SgNode } from "@ast-grep/napi";
import { bare, hasEffects, kindOf, ofKind, operandsOf, operatorOf, quote, type TreeRule, unwrap } from "./tree-rule.ts";

/** What a language calls the parts; the field names are the same in all grammars used. */
export interface LogicGrammar {
  readonly binary: string;
  readonly assignment: string;
  /** Assignments are expressions and `;` is a statement, as in C. */
  readonly hasCStatements: boolean;
  /** Whether `x != x` and `x == x` are how people ask for NaN. */
  readonly comparesForNaN: boolean;
}

/** Operators whose two equal operands make the result known; arithmetic such as `x * x` does not. */
const decided = new Set(["==", "!=", "<", ">", "<=", ">=", "&&", "||", "and", "or", "~="]);

function sameOperands(grammar: LogicGrammar): TreeRule {
  return {
    name: "same-operands",
    key: "tree.sameOperands",
    severity: "medium",
    category: "correctness",
    find: (root) =>
      ofKind(root, grammar.binary).flatMap((node) => {
        const operands = operandsOf(node);
        const operator = operatorOf(node);
        if (operands === null || !decided.has(operator)) return [];
        const [left, right] = operands;
        if (bare(left) !== bare(right) || hasEffects(left.text())) return [];
        // Two equal literals are a switch somebody left open (`0 == 0`), and capitals may be a macro.
        if (/^["'\d]/.test(left.text()) || /^[A-Z_0-9]+$/.test(left.text())) return [];
        if (grammar.comparesForNaN && /^[!~]=$/.test(operator)) return [];
        if (grammar.comparesForNaN && operator === "==" && !/[.>]/.test(left.text())) return [];
        return [{ node, params: { operator, operand: quote(left) } }];
      }),
  };
}

function selfAssignment(grammar: LogicGrammar): TreeRule {
  return {
    name: "self-assignment",
    key: "tree.selfAssignment",
    severity: "medium",
    category: "correctness",
    find: (root) =>
      ofKind(root, grammar.assignment).flatMap((node) => {
        const operands = operandsOf(node);
        if (operands === null || operatorOf(node) !== "=") return [];
        const [left, right] = operands;
        if (bare(left) !== bare(right) || hasEffects(left.text()) || bare(left) === "_") return [];
        // `local x = x` and Go's `x := x` make a copy on purpose; `(void)(x = x)` silences compilers.
        if (/^(variable_declaration|parenthesized_expression|initializer_expression)$/.test(kindOf(node.parent())))
          return [];
        return [{ node, params: { operand: quote(left) } }];
      }),
  };
}

const assignmentInCondition: TreeRule = {
  name: "assignment-in-condition",
  key: "tree.assignmentInCondition",
  severity: "high",
  category: "correctness",
  find: (root) =>
    ofKind(root, "if_statement", "while_statement", "do_statement").flatMap((statement) => {
      const condition = statement.field("condition");
      // Double parentheses are how people say that they mean it.
      if (condition === null || /^\(\s*\(/.test(condition.text())) return [];
      return ofKind(condition, "assignment_expression").flatMap((node) => {
        const parent = node.parent();
        const direct =
          parent !== null &&
          /^(if_statement|while_statement|do_statement|parenthesized_expression|condition_clause)$/.test(
            kindOf(parent),
          );
        const joined =
          parent !== null && parent.kind() === "binary_expression" && /^(&&|\|\|)$/.test(operatorOf(parent));
        if (!(direct || joined) || operatorOf(node) !== "=") return [];
        const value = operandsOf(node)?.[1];
        // The result of a call is worth testing; a constant or a plain name was meant to be compared.
        const constant =
          value !== undefined &&
          /^(number_literal|integer_literal|string_literal|char_literal|true|false|boolean_literal|null|identifier|prefix_unary_expression|unary_expression|nullptr|null_literal)$/.test(
            kindOf(value),
          );
        const isLoop = statement.kind() !== "if_statement";
        if (!constant || (isLoop && value.kind() === "identifier")) return [];
        return [{ node }];
      });
    }),
};

/** The statements of a branch without braces, comments and layout. */
function branchText(node: SgNode | null): string {
  return bare(node).replace(/^\{(.*)\}$/s, "$1");
}

function hasComment(node: SgNode | null): boolean {
  return node !== null && node.find({ rule: { kind: "comment" } }) !== null;
}

/** The plain `else` branch of an if statement: a wrapper in C and Lua, the statement itself in Go and C#. */
function elseBranch(statement: SgNode): SgNode | null {
  const alternative = statement.fieldChildren("alternative").at(-1) ?? null;
  if (alternative === null) return null;
  if (alternative.kind() === "else_statement") return alternative.field("body");
  const inner =
    alternative.kind() === "else_clause"
      ? (alternative.namedChildren().find((child) => child.kind() !== "comment") ?? null)
      : alternative;
  return inner === null || inner.kind() === "if_statement" || inner.kind() === "elseif_statement" ? null : inner;
}

const sameBranches: TreeRule = {
  name: "same-branches",
  key: "tree.sameBranches",
  severity: "medium",
  category: "correctness",
  find: (root) =>
    ofKind(root, "if_statement").flatMap((node) => {
      // In a chain, two equal neighbours are a table written as code.
      if (/^(else_clause|if_statement)$/.test(kindOf(node.parent())) || node.fieldChildren("alternative").length > 1)
        return [];
      const otherwise = elseBranch(node);
      const consequence = node.field("consequence");
      if (otherwise === null || hasComment(consequence) || hasComment(otherwise)) return [];
      const text = branchText(consequence);
      return text !== "" && text === branchText(otherwise) ? [{ node }] : [];
    }),
};

/** Conditions of the whole chain that begins with this statement. */
function chain(statement: SgNode): readonly SgNode[] {
  const conditions: SgNode[] = [];
  let current: SgNode | null = statement;
  while (current !== null && current.kind() === "if_statement") {
    // An initialiser (`if x := f(); x > 0`) gives the same words another meaning.
    if (current.field("initializer") !== null) return [];
    const condition = current.field("condition");
    if (condition !== null) conditions.push(condition);
    let following: SgNode | null = null;
    for (const alternative of current.fieldChildren("alternative")) {
      if (alternative.kind() === "elseif_statement") {
        const other = alternative.field("condition");
        if (other !== null) conditions.push(other);
      } else if (alternative.kind() === "if_statement") following = alternative;
      else if (alternative.kind() === "else_clause")
        following = alternative.children().find((child) => child.kind() === "if_statement") ?? null;
    }
    current = following;
  }
  return conditions;
}

const repeatedCondition: TreeRule = {
  name: "repeated-condition",
  key: "tree.repeatedCondition",
  severity: "medium",
  category: "correctness",
  find: (root) =>
    ofKind(root, "if_statement").flatMap((statement) => {
      if (/^(else_clause|if_statement)$/.test(kindOf(statement.parent()))) return [];
      const seen = new Set<string>();
      return chain(statement).flatMap((condition) => {
        const text = bare(condition);
        const repeated = seen.has(text) && !hasEffects(text.replace(/^\((.*)\)$/s, "$1"));
        seen.add(text);
        return repeated ? [{ node: condition, params: { operand: quote(unwrap(condition) ?? condition) } }] : [];
      });
    }),
};

const emptyBody: TreeRule = {
  name: "empty-body",
  key: "tree.emptyBody",
  severity: "high",
  category: "correctness",
  find: (root) =>
    ofKind(root, "if_statement", "for_statement", "while_statement").flatMap((node) => {
      const body = node.field(node.kind() === "if_statement" ? "consequence" : "body");
      if (body === null || body.text() !== ";" || node.field("alternative") !== null) return [];
      const following = node.next();
      if (following === null || !/^(compound_statement|block)$/.test(kindOf(following))) return [];
      return [{ node }];
    }),
};

const wrongDirection: TreeRule = {
  name: "wrong-direction",
  key: "tree.wrongDirection",
  severity: "high",
  category: "correctness",
  find: (root) =>
    ofKind(root, "for_statement").flatMap((node) => {
      const header = node.children().find((child) => child.kind() === "for_clause") ?? node;
      const condition = header.field("condition");
      const update = header.field("update");
      if (condition === null || update === null) return [];
      const bound = /^(\w+)\s*(<|<=|>|>=)\s*[^&|]+$/.exec(condition.text().trim());
      const step = /^(?:(\w+)\s*(\+\+|--)|(\+\+|--)\s*(\w+))$/.exec(update.text().trim());
      const counter = step?.[1] ?? step?.[4];
      if (bound === null || step === null || counter !== bound[1]) return [];
      const up = (step[2] ?? step[3]) === "++";
      const below = bound[2]?.startsWith("<") === true;
      if (up === below) return [];
      // An unsigned counter that runs down until it wraps is an idiom, and starts near its bound.
      const start = /=\s*(.+?);?$/.exec(header.field("initializer")?.text() ?? "")?.[1] ?? "";
      return below && start !== "0" ? [] : [{ node }];
    }),
};

const bitPrecedence: TreeRule = {
  name: "bit-precedence",
  key: "tree.bitPrecedence",
  severity: "high",
  category: "correctness",
  find: (root) =>
    ofKind(root, "binary_expression").flatMap((node) => {
      if (!/^[&|^]$/.test(operatorOf(node))) return [];
      return (operandsOf(node) ?? []).flatMap((operand) => {
        if (operand.kind() !== "binary_expression" || !/^[!=]=$/.test(operatorOf(operand))) return [];
        // `a == b & c == d` combines two truth values and means what it says.
        const other = (operandsOf(node) ?? []).find((each) => each.id() !== operand.id());
        if (
          other?.kind() === "binary_expression" ||
          other?.kind() === "unary_expression" ||
          other?.kind() === "parenthesized_expression"
        )
          return [];
        return [{ node, params: { operator: operatorOf(operand) } }];
      });
    }),
};

const nanComparison: TreeRule = {
  name: "nan-comparison",
  key: "tree.nanComparison",
  severity: "high",
  category: "correctness",
  find: (root) =>
    ofKind(root, "binary_expression").flatMap((node) =>
      /^[!=]=$/.test(operatorOf(node)) &&
      (operandsOf(node) ?? []).some((operand) =>
        /^(NAN|math\.NaN\(\)|(double|float|Double|Single)\.NaN)$/.test(operand.text()),
      )
        ? [{ node }]
        : [],
    ),
};

export function logicRules(grammar: LogicGrammar): readonly TreeRule[] {
  return [
    sameOperands(grammar),
    selfAssignment(grammar),
    sameBranches,
    repeatedCondition,
    wrongDirection,
    nanComparison,
    ...(grammar.hasCStatements ? [assignmentInCondition, emptyBody] : []),
  ];
}

export const bitwiseRules: readonly TreeRule[] = [bitPrecedence];
