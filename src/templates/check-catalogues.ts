// Finds mistakes in text catalogues: broken messages, unknown or missing keys, placeholders that differ from the English text's.
import { AppError } from "../core/errors.ts";
import { locales } from "../ports/texts.ts";
import { lineOfKey, parseCatalogue } from "./catalogues.ts";
import type { TemplateFolder } from "./folders.ts";
import { placeholdersOf } from "./messages.ts";

export interface TemplateMistake {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

/**
 * @param folder the folder to check.
 * @param builtIn the product's own folder, whose English texts say which keys and placeholders there are.
 */
export function checkCatalogues(folder: TemplateFolder, builtIn: TemplateFolder): readonly TemplateMistake[] {
  const reference = parseCatalogue(builtIn.read("locales/en.json") ?? "{}", builtIn.pathOf("locales/en.json"));
  const isBuiltIn = folder.path === builtIn.path;
  return locales.flatMap((locale) => {
    const name = `locales/${locale}.json`;
    const source = folder.read(name);
    const file = folder.pathOf(name);
    if (source === null) return isBuiltIn ? [{ file, line: 1, message: "the catalogue is missing" }] : [];
    try {
      return checkCatalogue(source, file, reference, isBuiltIn);
    } catch (thrown) {
      return [mistakeOf(thrown, file)];
    }
  });
}

function checkCatalogue(
  source: string,
  file: string,
  reference: Readonly<Record<string, string>>,
  complete: boolean,
): readonly TemplateMistake[] {
  const texts = parseCatalogue(source, file);
  const mistakes: TemplateMistake[] = [];
  for (const [key, text] of Object.entries(texts)) {
    const message = checkText(key, text, reference[key]);
    if (message !== null) mistakes.push({ file, line: lineOfKey(source, key), message });
  }
  if (!complete) return mistakes;
  const missing = Object.keys(reference).filter((key) => texts[key] === undefined);
  return [...mistakes, ...missing.map((key) => ({ file, line: 1, message: `the text "${key}" is missing` }))];
}

/** A translation may leave a placeholder out only if English does. */
function checkText(key: string, text: string, english: string | undefined): string | null {
  if (english === undefined) return `there is no text "${key}" in the product`;
  let names: readonly string[];
  try {
    names = placeholdersOf(text);
  } catch (thrown) {
    return `the text "${key}" is not ICU MessageFormat: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
  const wanted = placeholdersOf(english);
  const unknown = names.filter((name) => !wanted.includes(name));
  if (unknown.length > 0) return `the text "${key}" has no value {${unknown.join("}, {")}}`;
  const missing = wanted.filter((name) => !names.includes(name));
  return missing.length > 0 ? `the text "${key}" leaves out {${missing.join("}, {")}}` : null;
}

/** The place that an AppError `config` names; anything else is thrown on. */
export function mistakeOf(thrown: unknown, file: string): TemplateMistake {
  if (!(thrown instanceof AppError) || thrown.code !== "config") throw thrown;
  const { params } = thrown;
  const line = Number(params["line"] ?? 1);
  return { file: String(params["file"] ?? file), line, message: String(params["what"] ?? thrown.message) };
}
