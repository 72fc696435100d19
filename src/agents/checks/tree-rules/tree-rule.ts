// The shape of a rule over a syntax tree, and the questions that rules of several languages ask.
import type { SgNode } from "@ast-grep/napi";
import type { Severity } from "../../../core/problem.ts";
import type { Category } from "../complaint.ts";
import type { TextKey, TextParams } from "../texts.ts";

export interface TreeMatch {
  readonly node: SgNode;
  readonly params?: TextParams;
}

export interface TreeRule {
  readonly name: string;
  readonly key: TextKey;
  readonly severity: Severity;
  readonly category: Category;
  find(root: SgNode): readonly TreeMatch[];
}

export function ofKind(root: SgNode, ...kinds: readonly string[]): readonly SgNode[] {
  return root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } });
}

/** The node's kind as a plain text; empty where there is no node. */
export function kindOf(node: SgNode | null | undefined): string {
  return node === null || node === undefined ? "" : String(node.kind());
}

/** The source without spaces: two texts that differ in layout alone are the same. */
export function bare(node: SgNode | null | undefined): string {
  return node === null || node === undefined ? "" : node.text().replace(/\s+/g, "");
}

/** The operator of a binary or assignment node: its only anonymous child. */
export function operatorOf(node: SgNode): string {
  return (
    node
      .children()
      .find((child) => !child.isNamed())
      ?.text() ?? ""
  );
}

/** Left and right operand of a binary or assignment node. */
export function operandsOf(node: SgNode): readonly [SgNode, SgNode] | null {
  const named = node.namedChildren().filter((child) => child.kind() !== "comment");
  const [left, right] = named;
  return named.length === 2 && left && right ? [left, right] : null;
}

/** Takes off parentheses and the wrapper that C++ puts around conditions. */
export function unwrap(node: SgNode | null): SgNode | null {
  let inner = node;
  while (inner !== null && /^(parenthesized_expression|condition_clause)$/.test(kindOf(inner))) {
    const named = inner.namedChildren().filter((child) => child.kind() !== "comment");
    if (named.length !== 1) return inner;
    inner = named[0] ?? null;
  }
  return inner;
}

/** Whether evaluating the text twice could give two values: calls, increments, assignments. */
export function hasEffects(text: string): boolean {
  return /[(]|\+\+|--|[^=!<>]=[^=]|\bawait\b|<-/.test(text);
}

/** Shortens an operand for a message. */
export function quote(node: SgNode): string {
  const text = node.text().replace(/\s+/g, " ").replaceAll("`", "'");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export function enclosing(node: SgNode, ...kinds: readonly string[]): SgNode | null {
  return node.ancestors().find((ancestor) => kinds.includes(kindOf(ancestor))) ?? null;
}
