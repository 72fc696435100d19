// Rules about words that the shell takes for something else than the author did.
import type { SgNode } from "@ast-grep/napi";
import { ofKind, type TreeMatch, type TreeRule } from "./tree-rule.ts";

function rule(name: string, key: TreeRule["key"], find: (root: SgNode) => readonly TreeMatch[]): TreeRule {
  return { name, key, severity: "high", category: "correctness", find };
}

const gluedBracket = rule("glued-bracket", "bash.gluedBracket", (root) =>
  ofKind(root, "test_command").flatMap((node) => {
    const text = node.text();
    if (!text.startsWith("[")) return [];
    return /^\[\[?[^\s[]/.test(text) || /[^\s\]]\]\]?$/.test(text) ? [{ node }] : [];
  }),
);

const redirectInTest = rule("redirect-in-test", "bash.redirectInTest", (root) =>
  ofKind(root, "test_command").flatMap((node) => {
    const found = /^\[\s(?!\[).*?[\w"'})]\s+([<>]=?)\s+["'$\w]/.exec(node.text())?.[1];
    return found === undefined
      ? []
      : [{ node, params: { operator: found, wanted: found.startsWith(">") ? "-gt" : "-lt" } }];
  }),
);

const spacedAssignment = rule("spaced-assignment", "bash.spacedAssignment", (root) =>
  ofKind(root, "command").flatMap((node) => {
    const name = /^([A-Za-z_]\w*)\s+=(?:\s|$)/.exec(node.text())?.[1];
    return name === undefined || /^(test|expr|let)$/.test(name) ? [] : [{ node, params: { operand: name } }];
  }),
);

const removeRoot = rule("remove-root", "bash.removeRoot", (root) =>
  ofKind(root, "command").flatMap((node) => {
    const found = /^(?:sudo\s+)?rm\s+(?:-\w*[rR]\w*\s+|--\w+\s+)+.*?(?<=\s)"?\$\{?(\w+)\}?"?\/"?(?:\*|\s|$)/s.exec(
      node.text(),
    )?.[1];
    if (found === undefined || /^\d|^(HOME|PWD|TMPDIR)$/.test(found)) return [];
    // A value given in the same script is not empty.
    const assigned = new RegExp(`(^|[\\s;])${found}=["']?(?!["'\\s]*(?:\\$\\d|$))[^\\s"']`, "m").test(root.text());
    return assigned ? [] : [{ node, params: { operand: found, guarded: `$\{${found}:?}` } }];
  }),
);

const redirectOrder = rule("redirect-order", "bash.redirectOrder", (root) =>
  ofKind(root, "redirected_statement").flatMap((node) =>
    // In front of a pipe the order is the way to send only the errors through it.
    /2>&1\s+1?>>?\s*[^&\s|]+\s*$/.test(node.text()) && node.ancestors().every((around) => around.kind() !== "pipeline")
      ? [{ node }]
      : [],
  ),
);

export const bashRules: readonly TreeRule[] = [
  gluedBracket,
  redirectInTest,
  spacedAssignment,
  removeRoot,
  redirectOrder,
];
