// Formats ICU messages; compiled once each, and without the formatter where a message is plain.
import { IntlMessageFormat } from "intl-messageformat";

export type Params = Readonly<Record<string, string | number>>;

/** Throws an Error when a placeholder has no value. */
export type Message = (params: Params) => string;

/** Throws a SyntaxError for text that is not ICU MessageFormat. */
export function compileMessage(text: string, locale: string): Message {
  if (/^[^{}']*$/.test(text)) return () => text;
  if (/^[^{}']*(?:\{\w+\}[^{}']*)+$/.test(text)) return simpleMessage(text);
  const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  return (params) => String(format.format(params));
}

function simpleMessage(text: string): Message {
  // Odd places hold the names.
  const parts = text.split(/\{(\w+)\}/);
  return (params) =>
    parts
      .map((part, index) => {
        if (index % 2 === 0) return part;
        const value = params[part];
        if (value === undefined) throw new Error(`the value "${part}" is missing`);
        return String(value);
      })
      .join("");
}

/** Names of a message's placeholders, sorted. Throws a SyntaxError like `compileMessage`. */
export function placeholdersOf(text: string): readonly string[] {
  const names = new Set<string>();
  collect(new IntlMessageFormat(text, "en", undefined, { ignoreTag: true }).getAst());
  return [...names].sort();

  function collect(elements: readonly unknown[]): void {
    for (const element of elements) {
      if (!isRecord(element)) continue;
      // Literals and `#` have no options and name nothing.
      const named = typeof element["value"] === "string" && element["type"] !== 0;
      if (named) names.add(String(element["value"]));
      if (!isRecord(element["options"])) continue;
      for (const option of Object.values(element["options"])) {
        if (isRecord(option) && Array.isArray(option["value"])) collect(option["value"]);
      }
    }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
