// Reads a configuration file's text: YAML, schema and meaning, and every mistake in it with its line.
import { LineCounter, parseDocument } from "yaml";
import { channelNames } from "../../channels/index.ts";
import { AppError } from "../core/errors.ts";
import { unnamedMistakes } from "./channel-secrets.ts";
import { checkMeaning } from "./meaning.ts";
import { mistakesOf, placeMistakes } from "./mistakes.ts";
import { record } from "./raw.ts";
import { type ConfigFile, configSchema, settingsAt, withoutEmptyGroups } from "./schema.ts";

/** Checks a file's text. Throws AppError `config` with all mistakes. */
export function parseConfig(
  text: string,
  label: string,
  env: Readonly<Record<string, string | undefined>>,
): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = [...document.errors, ...document.warnings].map(({ pos, message }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `${label}:${line}:${col} This is no valid YAML: ${message.replace(/\s+/g, " ")}`;
  });
  if (broken.length > 0) throw mistaken(broken);
  let raw: unknown;
  try {
    // A file of comments alone is as good as none.
    raw = withoutEmptyGroups(document.toJS() ?? {});
  } catch {
    throw mistaken([`${label}:1:1 The file repeats its anchors too often.`]);
  }
  const checked = configSchema.safeParse(raw);
  const mistakes = [
    ...(checked.success ? [] : mistakesOf(checked.error.issues, raw, settingsAt)),
    ...checkMeaning(raw, { channels: channelNames }, env),
  ];
  if (checked.success) {
    mistakes.push(...unnamedMistakes(checked.data.channels, record(record(raw)["channels"]), env));
  }
  if (mistakes.length > 0 || !checked.success) throw mistaken(placeMistakes(label, mistakes, document, lines));
  return checked.data;
}

/** One fault for all mistakes, one a line. */
function mistaken(lines: readonly string[]): AppError {
  return new AppError("config", lines.join("\n"), {
    remedy: lines.length === 1 ? "Correct that line and start again." : "Correct these lines and start again.",
  });
}
