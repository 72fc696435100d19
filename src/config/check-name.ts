// Checks that what the file refers to by name is there, and says which name was probably meant.
import { nearestWord } from "../core/command.ts";
import type { ConfigPath } from "./mistakes.ts";
import type { Add } from "./raw.ts";

/** Whatever is no name at all is left to the schema. */
export function checkName(value: unknown, names: readonly string[], kind: string, path: ConfigPath, add: Add): void {
  if (typeof value !== "string" || value === "" || names.includes(value)) return;
  const near = nearestWord(value, names);
  const known = names.length === 0 ? "There is none at all." : `Known: ${names.join(", ")}.`;
  add(path, `There is no ${kind} ${value}. ${near === null ? known : `Did you mean ${near}?`}`);
}
