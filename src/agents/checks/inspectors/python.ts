// Finds real defects in Python by ruff, compiled to WebAssembly; style and guesses about the environment stay out.
import { type Complaint, type Inspector, inspected } from "../complaint.ts";
import { isSpecimen, sourceKind } from "../source-kinds.ts";
import { isMeant } from "./python-intent.ts";

/** Ruff's codes by gravity. A missing code is not asked for: unused names, layout, typing style, opinions. */
const selection: readonly {
  readonly severity: "high" | "medium" | "low";
  readonly category: "correctness" | "security";
  readonly codes: readonly string[];
}[] = [
  {
    severity: "high",
    category: "correctness",
    codes: [
      "F821",
      "F823",
      "F501",
      "F502",
      "F503",
      "F505",
      "F506",
      "F507",
      "F508",
      "F509",
      "F521",
      "F522",
      "F523",
      "F524",
      "F525",
      "F621",
      "F622",
      "F633",
      "F701",
      "F702",
      "F704",
      "F706",
      "F707",
      "F901",
      "PLE",
    ],
  },
  {
    severity: "medium",
    category: "correctness",
    codes: [
      "F502",
      "F601",
      "F602",
      "F631",
      "F632",
      "F634",
      "F811",
      "B002",
      "B005",
      "B006",
      "B012",
      "B015",
      "B016",
      "B022",
      "B025",
      "B029",
      "B030",
      "B031",
      "B033",
      "B035",
      "B039",
      "PLR0124",
      "PLW0127",
      "PLW0129",
      "PLW0133",
      "PLW0245",
      "PLW1501",
      "PIE794",
      "PIE796",
      "RUF006",
      "RUF016",
      "T100",
    ],
  },
  { severity: "high", category: "security", codes: ["S501", "S502", "S506", "S602", "S605", "S701"] },
];

/** Flake8-bandit also marks calls that it finds harmless; those are no finding. */
const harmless = /seems safe/;

function rank(code: string): (typeof selection)[number] | undefined {
  return selection.find((group) =>
    group.codes.some((entry) => entry === code || (entry === "PLE" && code.startsWith("PLE"))),
  );
}

export interface RuffDiagnostic {
  readonly code: string | null;
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

/** Python 2 and templates of Python: no mistake of the author, but not readable for ruff either. */
function isOtherDialect(text: string): boolean {
  return (
    /^[ \t]{0,200}print[ \t]+["'\w%]|^[ \t]{0,200}print[ \t]*$|^[ \t]{0,200}exec[ \t]+["'\w]|<>|\bur?"/m.test(text) ||
    /\bexcept[ \t]+[\w.()]{1,200}[ \t]*,[ \t]*\w+[ \t]*:|\braise[ \t]+\w{1,200}[ \t]*,|`[^`\n]{1,200}`|\b0[0-7]+\b(?!\.)/.test(
      text,
    ) ||
    /\{\{[^\n]{0,200}\}\}|\{%[^\n]{0,200}%\}/.test(text)
  );
}

type Check = (text: string) => readonly RuffDiagnostic[];

async function loadRuff(): Promise<Check> {
  const { PositionEncoding, Workspace } = await import("@astral-sh/ruff-wasm-nodejs");
  // The newest grammar accepts what the older ones do, and nothing is known of the project's own minimum.
  const workspace = new Workspace(
    { "target-version": "py314", lint: { select: [...new Set(selection.flatMap((group) => group.codes))] } },
    PositionEncoding.Utf16,
  );
  return (text) => workspace.check(text);
}

export function findPythonMistakes(path: string, text: string, check: Check): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const lines = text.split("\n");
  for (const diagnostic of check(text)) {
    const line = diagnostic.start_location.row;
    if (diagnostic.code === null || diagnostic.code === "invalid-syntax" || diagnostic.code === "E999") {
      if (isOtherDialect(text)) return [];
      return [
        {
          rule: "ruff/syntax",
          file: path,
          line,
          severity: "high",
          category: "syntax",
          message: { text: diagnostic.message },
        },
      ];
    }
    const group = rank(diagnostic.code);
    // Control characters in texts (PLE25…) are looked for in every language, `__all__` (PLE060…) may be put together, and a
    // bare `raise` (PLE0704) may stand in a function that handlers call.
    if (group === undefined || harmless.test(diagnostic.message) || /^PLE(25|060|0704)/.test(diagnostic.code)) continue;
    if (group.category === "security" && isSpecimen(path)) continue;
    if (isMeant(diagnostic, lines)) continue;
    const undefinedName = diagnostic.code === "F821" ? /`([^`]+)`/.exec(diagnostic.message)?.[1] : undefined;
    complaints.push({
      rule: `ruff/${diagnostic.code}`,
      file: path,
      line,
      severity: group.severity,
      category: group.category,
      message: { text: diagnostic.message },
      ...(undefinedName === undefined ? {} : { ambient: `name:${undefinedName}` }),
    });
  }
  return complaints;
}

export function createPythonInspector(): Inspector {
  return {
    name: "ruff",
    fits: (path) => sourceKind(path) === "python",
    async inspect(side) {
      const check = await loadRuff();
      return inspected(
        "ruff",
        side.files.flatMap((file) => findPythonMistakes(file.path, file.text, check)),
      );
    },
  };
}
