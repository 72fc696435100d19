// Finds a few defects that show on one line whatever the language's grammar: SQL glued from values, tests left focused.
import { type Complaint, type Inspector, inspected } from "../complaint.ts";
import { isSpecimen, sourceKind } from "../source-kinds.ts";

const sqlVerb = "(?:SELECT\\s.+?\\sFROM|INSERT\\s+INTO|UPDATE\\s+\\w+\\s+SET|DELETE\\s+FROM)\\b";

/**
 * Only where the value stands between quotes of the SQL text: names of tables cannot be parameters and are glued by
 * everybody, a quoted value always can.
 */
const gluedSql = new RegExp(
  [
    `["'\`]\\s*${sqlVerb}[^"\`]*?=\\s*'["\`]\\s*(?:\\+|\\.\\.)\\s*[\\w$]`,
    `"\\s*${sqlVerb}[^"]*?=\\s*'"\\s*(?:\\+|\\.\\.)\\s*[\\w$]`,
    `\`\\s*${sqlVerb}[^\`]*?=\\s*'\\$\\{[^}]+\\}'`,
    `\\bf"\\s*${sqlVerb}[^"]*?=\\s*'\\{[^}]+\\}'`,
    `\\$"\\s*${sqlVerb}[^"]*?=\\s*'\\{[^}]+\\}'`,
    `["\`]\\s*${sqlVerb}[^"\`]*?=\\s*'%[sv]'[^"\`]*["\`]\\s*(?:,|%)\\s*[\\w(]`,
  ].join("|"),
  "i",
);

const languages = new Set(["javascript", "typescript", "python", "go", "csharp", "lua", "cpp"]);
const focused = /^\s*(?:describe|it|test|context|suite)\.only\s*\(/;

export function findTextMistakes(path: string, text: string): readonly Complaint[] {
  const kind = sourceKind(path);
  const complaints: Complaint[] = [];
  const isTest = isSpecimen(path);
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length > 1_000 || /^\s*(\/\/|#|\*|--)/.test(line)) continue;
    if (!isTest && gluedSql.test(line)) {
      complaints.push({
        rule: "text/sql-injection",
        file: path,
        line: index + 1,
        severity: "high",
        category: "security",
        message: { key: "sql.injection" },
      });
    }
    if ((kind === "javascript" || kind === "typescript") && isTest && focused.test(line)) {
      complaints.push({
        rule: "text/test-only",
        file: path,
        line: index + 1,
        severity: "medium",
        category: "correctness",
        message: { key: "test.only" },
      });
    }
  }
  return complaints;
}

export function createTextRuleInspector(): Inspector {
  return {
    name: "text-rules",
    fits: (path) => languages.has(sourceKind(path)),
    inspect: async (side) =>
      inspected(
        "text-rules",
        side.files.flatMap((file) => findTextMistakes(file.path, file.text)),
      ),
  };
}
