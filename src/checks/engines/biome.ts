// biome: its RDJSON report (older versions: its JSON report) read into diagnostics.
import type { Diagnostic } from "../../ports/check-engine.ts";
import type { Columns } from "../columns.ts";

/** What biome lints by itself; component formats need settings that not every version has. */
export const biomeFiles = /\.(?:[cm]?[jt]sx?|jsonc?|css|graphqls?|gql)$/i;

interface Position {
  readonly line: number;
  readonly column: number;
}

interface RdReport {
  readonly diagnostics: readonly {
    readonly code?: { readonly value?: string };
    readonly location?: {
      readonly path?: string;
      readonly range?: { readonly start?: Position; readonly end?: Position };
    };
    readonly message: string;
    readonly severity: string;
    readonly suggestions?: readonly unknown[];
  }[];
}

/** The flag that makes this version of biome print what `parseBiome` reads. RDJSON, which lists fixes, came with 2.4. */
export function biomeReporter(version: string): "rdjson" | "json" {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 4) ? "rdjson" : "json";
}

/** Null when `stdout` is no report. Reports below a warning are advice about style and are dropped. */
export function parseBiome(stdout: string, columns: Columns): Diagnostic[] | null {
  const report = readReport(stdout);
  if (report === null) return null;
  const diagnostics: Diagnostic[] = [];
  for (const found of report.diagnostics) {
    const severity = found.severity.toLowerCase();
    if (severity !== "error" && severity !== "warning" && severity !== "fatal") continue;
    const file = found.location?.path?.replaceAll("\\", "/").replace(/^\.\//, "");
    if (file === undefined || file === "") continue;
    const start = found.location?.range?.start;
    const end = found.location?.range?.end;
    const line = start?.line ?? 1;
    diagnostics.push({
      engine: "biome",
      rule: found.code?.value ?? "biome",
      file,
      line,
      col: columns.fromCodePoints(file, line, start?.column ?? 1),
      ...(end === undefined || end.line <= line ? {} : { endLine: end.line }),
      severity: severity === "warning" ? "warning" : "error",
      message: found.message.replace(/\s+/g, " ").trim(),
      fixable: (found.suggestions?.length ?? 0) > 0,
    });
  }
  return diagnostics;
}

function readReport(stdout: string): RdReport | null {
  const start = stdout.indexOf("{");
  if (start < 0) return null;
  try {
    const parsed = JSON.parse(stdout.slice(start, stdout.lastIndexOf("}") + 1)) as { diagnostics?: unknown };
    if (!Array.isArray(parsed.diagnostics)) return null;
    return { diagnostics: parsed.diagnostics.map(unify).filter((found) => found !== null) };
  } catch {
    return null;
  }
}

/** One entry of either reporter. The old JSON reporter gives positions as byte spans with the source beside them. */
function unify(entry: unknown): RdReport["diagnostics"][number] | null {
  if (typeof entry !== "object" || entry === null) return null;
  const raw = entry as {
    code?: { value?: string };
    category?: string;
    severity?: string;
    message?: unknown;
    description?: unknown;
    location?: {
      path?: unknown;
      range?: { start?: Position; end?: Position };
      start?: Position;
      end?: Position;
      span?: unknown;
      sourceCode?: unknown;
    };
    suggestions?: readonly unknown[];
    tags?: readonly unknown[];
  };
  const path = raw.location?.path;
  const name = typeof path === "string" ? path : ((path as { file?: string } | undefined)?.file ?? undefined);
  const start = raw.location?.range?.start ?? raw.location?.start ?? fromSpan(raw.location, 0);
  const end = raw.location?.range?.end ?? raw.location?.end ?? fromSpan(raw.location, 1);
  const message = typeof raw.message === "string" ? raw.message : raw.description;
  const value = raw.code?.value ?? raw.category;
  return {
    ...(value === undefined ? {} : { code: { value } }),
    location: {
      ...(name === undefined ? {} : { path: name }),
      range: { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
    },
    message: typeof message === "string" ? message : "",
    severity: raw.severity ?? "error",
    suggestions: raw.suggestions ?? (raw.tags?.includes("fixable") === true ? ["fixable"] : []),
  };
}

function fromSpan(location: { span?: unknown; sourceCode?: unknown } | undefined, index: 0 | 1): Position | undefined {
  const { span, sourceCode } = location ?? {};
  if (!Array.isArray(span) || typeof sourceCode !== "string") return undefined;
  const offset: unknown = span[index];
  if (typeof offset !== "number") return undefined;
  const before = Buffer.from(sourceCode).subarray(0, offset).toString("utf8").split("\n");
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1 };
}
