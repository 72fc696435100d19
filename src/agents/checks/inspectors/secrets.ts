// Finds credentials that a change would publish: secretlint's preset in process on strings, and our own rules beside it.
import type { lintSource as LintSource } from "@secretlint/core";
import type { Complaint, InspectedFile, Inspection, Inspector } from "../complaint.ts";
import { isSpecimen, sourceKind } from "../source-kinds.ts";
import { assignments, entropy, isPlaceholder, isSecretLiteral, secretRules } from "./secret-rules.ts";

/** Where a file of one of these kinds holds settings, values stand without quotes. */
function isSettings(path: string): boolean {
  return /(^|\/)\.env(\.[\w-]+)?$|\.(env|properties|ini|cfg|conf|ya?ml)$/i.test(path);
}

/** Line of each offset, for offsets asked in rising order. */
function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    while (next !== -1 && next < offset) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}

function complain(file: string, rule: string, line: number, severity: "critical" | "high", label: string): Complaint {
  return {
    rule: `secret/${rule}`,
    file,
    line,
    severity,
    category: "security",
    message: { key: "secret.found", params: { label } },
    suggestion: { key: "secret.fix" },
  };
}

/** Our own rules on one file. The messages name the kind of the secret and never repeat it. */
export function findSecrets(path: string, text: string): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const specimen = isSpecimen(path) || sourceKind(path) === "document";
  for (const rule of secretRules) {
    // Keys and addresses made for tests and manuals are common, tokens of a provider are not.
    if (specimen && /^(private-key|url-password|json-web-token|aws-secret-key)$/.test(rule.name)) continue;
    const lineOf = lineFinder(text);
    for (const match of text.matchAll(rule.pattern)) {
      const secret = match[1] ?? match[0];
      if (isPlaceholder(secret) || entropy(secret) < rule.minEntropy) continue;
      complaints.push(complain(path, rule.name, lineOf(match.index), rule.severity, rule.label));
    }
  }
  if (specimen) return complaints;
  for (const { pattern, settingsOnly } of assignments) {
    if (settingsOnly && !isSettings(path)) continue;
    const lineOf = lineFinder(text);
    for (const match of text.matchAll(pattern)) {
      const [whole, name = "", , value = ""] = match;
      if (!isSecretLiteral(name, value)) continue;
      const line = lineOf(match.index + whole.length - value.length - 1);
      complaints.push(complain(path, "literal", line, "high", `value of \`${name}\``));
    }
  }
  return complaints;
}

/** Rules of the preset that ours do with more regard for placeholders. */
const ownBetter = /-(basicauth|database-connection-string|secp256k1-privatekey|privatekey)$/;

type Lint = (file: InspectedFile) => Promise<readonly Complaint[]>;

async function loadSecretlint(): Promise<Lint> {
  const [{ lintSource }, { creator }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
  ]);
  // Built here and passed by value: no configuration file of the reviewed repository is ever looked for.
  const config: Parameters<typeof LintSource>[0]["options"]["config"] = {
    rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }],
  };
  return async ({ path, text }) => {
    const { messages } = await lintSource({
      source: { filePath: `/${path}`, content: text, ext: "", contentType: "text" },
      options: { config, maskSecrets: true, noPhysicFilePath: true },
    });
    return messages.flatMap((message) => {
      if (ownBetter.test(message.ruleId)) return [];
      if (isPlaceholder(text.slice(message.range[0], message.range[1]))) return [];
      const rule = message.ruleId.replace(/^.*secretlint-rule-/, "");
      return [complain(path, `secretlint-${rule}`, message.loc.start.line, "critical", rule)];
    });
  };
}

/** One complaint a line: both engines know the common tokens. */
function onePerLine(complaints: readonly Complaint[]): readonly Complaint[] {
  const seen = new Set<number>();
  return complaints.filter((complaint) => !seen.has(complaint.line) && seen.add(complaint.line));
}

export function createSecretInspector(): Inspector {
  return {
    name: "secrets",
    fits: () => true,
    async inspect(side): Promise<Inspection> {
      const own = new Map(side.files.map((file) => [file.path, findSecrets(file.path, file.text)]));
      try {
        const lint = await loadSecretlint();
        const complaints: Complaint[] = [];
        for (const file of side.files) {
          const theirs = isSpecimen(file.path) || sourceKind(file.path) === "document" ? [] : await lint(file);
          complaints.push(...onePerLine([...(own.get(file.path) ?? []), ...theirs]));
        }
        return { complaints, engines: { secretlint: { status: "ok" } } };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { complaints: [...own.values()].flat(), engines: { secretlint: { status: "error", message } } };
      }
    },
  };
}
