// Loads the product's words for a process that serves people, refusing override folders with mistakes.
import { AppError } from "../core/errors.ts";
import type { Texts } from "../ports/texts.ts";
import { checkTemplates } from "./check-templates.ts";
import { createTexts, type TextsOptions } from "./create-texts.ts";

/**
 * Checks the override folders first (the built-in folder is checked by the tests, not at every start).
 * Throws AppError `config` with the first mistake's file and line.
 */
export function loadTexts(options: TextsOptions = {}): Texts {
  const { folders = [] } = options;
  if (folders.length > 0) {
    const [first, ...others] = checkTemplates(folders);
    if (first !== undefined) {
      const more = others.length === 0 ? "" : ` There are ${others.length} more.`;
      throw new AppError("config", `${first.file}:${first.line}: ${first.message}.${more}`, {
        remedy: 'Correct it; "aicr-bot templates check" lists every mistake.',
        params: { file: first.file, line: first.line, what: first.message },
      });
    }
  }
  return createTexts(options);
}
