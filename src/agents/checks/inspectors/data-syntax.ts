// Finds JSON, YAML and TOML that no reader of these formats accepts, and keys that are given twice.
import { type Complaint, type Inspector, inspected, type Words } from "../complaint.ts";
import { isFixture, isWorkflow, sourceKind } from "../source-kinds.ts";

function complain(file: string, rule: string, line: number, message: Words): Complaint {
  const duplicate = rule.endsWith("duplicate-key");
  return {
    rule,
    file,
    line,
    severity: duplicate ? "medium" : "high",
    category: duplicate ? "correctness" : "syntax",
    message,
  };
}

/** JSON files whose readers are known to take comments and trailing commas. */
function takesComments(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (
    /^(tsconfig|jsconfig)([.-].*)?\.json$/.test(name) ||
    /^(\.eslintrc|\.babelrc|\.swcrc|\.jshintrc|\.jscsrc|devcontainer|api-extractor|typedoc|turbo|nx|deno|biome|renovate|wrangler|knip|rush|angular|language-configuration)(\..*)?(\.json)?$/.test(
      name,
    ) ||
    /(^|\/)(\.vscode|\.devcontainer|\.zed|common\/config)\//.test(path) ||
    /\.(code-workspace|sublime-[a-z]+)$/.test(name) ||
    /(^|[.-])oxlintrc\.json$/.test(name)
  );
}

/** A template whose placeholders are filled before anybody parses it (Helm, Jinja, ERB, cookiecutter). */
function isTemplated(path: string, text: string): boolean {
  // `${{ }}` belongs to GitHub's workflows, which are plain YAML.
  return /(?<!\$)\{\{|\{%|<%|^[ \t]{0,200}#\{/m.test(text) || /(^|\/)templates?\//.test(path);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}

export function findJsonMistakes(path: string, text: string): readonly Complaint[] {
  if (text.trim() === "" || takesComments(path)) return [];
  const body = text.replace(/^\uFEFF/, "");
  try {
    JSON.parse(body);
  } catch (error) {
    if (/^\s*\/[/*]/.test(body)) return []; // Begins with a comment: JSON with comments under a plain name.
    const detail = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(detail)?.[1];
    const offset = position === undefined ? body.length : Number(position);
    // A complaint at the very end is about what was left open; the last line with text is where a person looks.
    const line = offset >= body.trimEnd().length ? lineAt(body, body.trimEnd().length) : lineAt(body, offset);
    if (
      body
        .split("\n")
        .filter((entry) => entry.trim() !== "")
        .every(isJsonLine)
    )
      return [];
    return [complain(path, "json/syntax", line, { key: "syntax.json", params: { detail: plainDetail(detail) } })];
  }
  return duplicateKeys(path, body);
}

/** Several whole documents, one a line (JSON Lines under a plain name). */
function isJsonLine(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** V8 quotes the text around the mistake; a report must not repeat what may be a secret. */
function plainDetail(detail: string): string {
  return detail
    .replace(/, (\.\.\.)?".*$/s, "")
    .replace(/ in JSON.*$/s, "")
    .replace(/\s+/g, " ");
}

/** One pass over valid JSON that remembers the keys of every open object. */
function duplicateKeys(path: string, text: string): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const open: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]|\n/gs;
  let line = 1;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "\n") line += 1;
    else if (found === "{") open.push(new Set());
    else if (found === "[") open.push(null);
    else if (found === "}" || found === "]") open.pop();
    else {
      const keys = open.at(-1);
      if (!keys || !/^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 100))) continue;
      // `"//"` is npm's custom for several comments in one object.
      if (keys.has(found) && !/^"(\/\/|_?comments?|#)/i.test(found)) {
        complaints.push(
          complain(path, "json/duplicate-key", line, {
            key: "data.duplicateKey",
            params: { key: found.slice(1, -1).slice(0, 80) },
          }),
        );
      }
      keys.add(found);
    }
  }
  return complaints;
}

async function findYamlMistakes(path: string, text: string): Promise<readonly Complaint[]> {
  if (isTemplated(path, text)) return [];
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: "silent", uniqueKeys: true, merge: true });
  if (!Array.isArray(documents)) return [];
  const complaints: Complaint[] = [];
  for (const error of documents.flatMap((document) => document.errors)) {
    const { line } = lines.linePos(error.pos[0]);
    if (error.code === "DUPLICATE_KEY") {
      complaints.push(complain(path, "yaml/duplicate-key", line, { key: "data.duplicateKeyHere" }));
      continue;
    }
    // Tags of other tools (CloudFormation, mkdocs) are unknown here, not wrong; Symfony and friends stretch the rest.
    if (
      error.code === "TAG_RESOLVE_FAILED" ||
      error.code === "BAD_DIRECTIVE" ||
      (error.code === "UNEXPECTED_TOKEN" && /%/.test(text.split("\n")[line - 1] ?? ""))
    )
      continue;
    complaints.push(
      complain(path, "yaml/syntax", line, { key: "syntax.yaml", params: { detail: firstLine(error.message) } }),
    );
    break;
  }
  return complaints;
}

async function findTomlMistakes(path: string, text: string): Promise<readonly Complaint[]> {
  if (isTemplated(path, text)) return [];
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text, { integersAsBigInt: "asNeeded" });
    return [];
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const detail = firstLine(error.message).replace(/^Invalid TOML document: /, "");
    return /redefine|already defined|duplicate/i.test(detail)
      ? [complain(path, "toml/duplicate-key", error.line, { key: "data.duplicateKeyHere" })]
      : [complain(path, "toml/syntax", error.line, { key: "syntax.toml", params: { detail } })];
  }
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
}

export function createDataInspector(): Inspector {
  // Workflows are read, as YAML too, by an engine of their own.
  const fits = (path: string): boolean =>
    ["json", "yaml", "toml"].includes(sourceKind(path)) && !isFixture(path) && !isWorkflow(path);
  return {
    name: "data",
    fits,
    inspect: async (side) => {
      const found = side.files.map(async ({ path, text }) => {
        const kind = sourceKind(path);
        if (kind === "json") return findJsonMistakes(path, text);
        return kind === "yaml" ? findYamlMistakes(path, text) : findTomlMistakes(path, text);
      });
      return inspected("data", (await Promise.all(found)).flat());
    },
  };
}
