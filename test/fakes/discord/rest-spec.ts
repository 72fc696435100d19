// Discord's own description of its bodies, as strict schemas: a key that it does not name is a mistake.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

type Schema = z.ZodMiniType;

/**
 * The published module makes all its objects while it loads, so that its own switch for strict objects comes too late. Its text is
 * therefore evaluated with strict objects from the start: the same file, the same schemas.
 */
function loadStrict(): Readonly<Record<string, Schema>> {
  const source = readFileSync(fileURLToPath(import.meta.resolve("discord-api-spec/zod")), "utf8");
  const body = source
    .replace(/^import \* as z from "zod\/mini";$/m, "")
    .replace("let zObject = z.object;", "let zObject = z.strictObject;")
    .replace(/^export const (\w+)/gm, "const $1 = exported.$1");
  const exported: Record<string, Schema> = {};
  if (body === source || !body.includes("z.strictObject;")) throw new Error("discord-api-spec is not as expected");
  new Function("z", "exported", body)(z, exported);
  return exported;
}

const schemas = loadStrict();

export function specSchema(name: string): Schema {
  const schema = schemas[`${name}Schema`];
  if (schema === undefined) throw new Error(`discord-api-spec has no ${name}`);
  return schema;
}

/** Number of schemas that could be loaded; a test asserts it, so that an empty description cannot pass for a strict one. */
export const specSize = Object.keys(schemas).length;

/** What is wrong with a body by the description; empty when nothing is. */
export function specMistakes(name: string, body: unknown): readonly string[] {
  const parsed = specSchema(name).safeParse(body);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => sentences(issue, []));
}

function sentences(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): readonly string[] {
  const path = [...before, ...issue.path];
  if (issue.code === "invalid_union") {
    // The branch that came furthest says most.
    const best = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [];
    return best.length === 0
      ? [`${path.map(String).join(".")}: fits nothing`]
      : best.flatMap((one) => sentences(one, path));
  }
  const what = issue.code === "unrecognized_keys" ? `unknown ${issue.keys.join(", ")}` : (issue.message ?? issue.code);
  return [`${path.map(String).join(".")}: ${what}`];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return (
    Math.max(0, ...issues.map(({ path }) => path.length)) -
    issues.filter(({ path }) => path.at(-1) === "type").length * 10
  );
}
