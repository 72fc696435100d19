// The text catalogues `locales/<locale>.json` of the template folders: flat keys, ICU messages, English behind every other language.
import { AppError } from "../core/errors.ts";
import { type Locale, locales } from "../ports/texts.ts";
import type { TemplateFolder } from "./folders.ts";
import { compileMessage, type Message, type Params } from "./messages.ts";

export interface Catalogues {
  /** Throws AppError `internal` on an unknown key or a missing value. */
  text(key: string, locale: string, params?: Params): string;
  has(key: string): boolean;
}

/** One language's texts, and which file each comes from. */
export interface Catalogue {
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly file: string }>;
}

/** The product's language for a BCP 47 tag: `zh-Hans-CN` is `zh-CN`, `en-GB` is `en`, anything unknown is `en`. */
export function localeFor(tag: string): Locale {
  const exact = locales.find((locale) => locale.toLowerCase() === tag.toLowerCase());
  if (exact !== undefined) return exact;
  const language = tag.toLowerCase().split(/[-_]/)[0];
  return locales.find((locale) => locale.split("-")[0] === language) ?? "en";
}

export function createCatalogues(folders: readonly TemplateFolder[]): Catalogues {
  const catalogues = new Map<Locale, Catalogue>();
  const messages = new Map<string, Message>();

  return {
    text: (key, tag, params = {}) => {
      const message = messageOf(key, localeFor(tag));
      try {
        return message(params);
      } catch (thrown) {
        throw unusable(`The text "${key}" could not be written: ${reason(thrown)}.`, thrown);
      }
    },
    has: (key) => catalogue("en").texts.has(key),
  };

  function messageOf(key: string, locale: Locale): Message {
    const id = `${locale} ${key}`;
    const known = messages.get(id);
    if (known !== undefined) return known;
    const found = catalogue(locale).texts.get(key) ?? catalogue("en").texts.get(key);
    if (found === undefined) throw unusable(`There is no text "${key}".`);
    const message = compiled(found.text, key, locale, found.file);
    messages.set(id, message);
    return message;
  }

  function catalogue(locale: Locale): Catalogue {
    let known = catalogues.get(locale);
    if (known === undefined) {
      known = readCatalogue(folders, locale);
      catalogues.set(locale, known);
    }
    return known;
  }
}

function compiled(text: string, key: string, locale: Locale, file: string): Message {
  try {
    return compileMessage(text, locale);
  } catch (thrown) {
    const what = `the text "${key}" is not ICU MessageFormat: ${reason(thrown)}`;
    throw new AppError("config", `${file}: ${what}.`, {
      remedy: `Check its braces; a literal brace is written '{'. "aicr-bot templates check" lists every mistake.`,
      params: { file, line: 1, what },
      cause: thrown,
    });
  }
}

/** The texts of a locale from all folders; earlier folders win. Throws AppError `config` with file and line. */
export function readCatalogue(folders: readonly TemplateFolder[], locale: Locale): Catalogue {
  const texts = new Map<string, { text: string; file: string }>();
  for (const folder of [...folders].reverse()) {
    const name = `locales/${locale}.json`;
    const source = folder.read(name);
    if (source === null) continue;
    const file = folder.pathOf(name);
    for (const [key, text] of Object.entries(parseCatalogue(source, file))) texts.set(key, { text, file });
  }
  return { texts };
}

/** Throws AppError `config` with file and line. */
export function parseCatalogue(source: string, file: string): Readonly<Record<string, string>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (thrown) {
    const position = Number(/position (\d+)/.exec(reason(thrown))?.[1] ?? source.length);
    const line = source.slice(0, position).split("\n").length;
    throw mistake(file, line, "the catalogue is not JSON", "Correct the file at that line.", thrown);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw mistake(file, 1, "the catalogue is not a JSON object", "Write an object with one text for each key.");
  }
  for (const [key, text] of Object.entries(parsed)) {
    if (typeof text === "string") continue;
    throw mistake(file, lineOfKey(source, key), `the text "${key}" is not a string`, "Write it in double quotes.");
  }
  return parsed as Record<string, string>;
}

function mistake(file: string, line: number, what: string, remedy: string, cause?: unknown): AppError {
  return new AppError("config", `${file}:${line}: ${what}.`, { remedy, params: { file, line, what }, cause });
}

/** The 1-based line of a key in a catalogue's source. */
export function lineOfKey(source: string, key: string): number {
  const index = source.indexOf(`${JSON.stringify(key)}:`);
  return index === -1 ? 1 : source.slice(0, index).split("\n").length;
}

function unusable(message: string, cause?: unknown): AppError {
  return new AppError("internal", message, {
    remedy: 'Run "aicr-bot templates check" and report what it says.',
    reason: "internal",
    cause,
  });
}

function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
