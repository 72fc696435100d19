// Tells Python that breaks a rule on purpose, as released code does, from Python that is wrong.

interface Place {
  readonly code: string | null;
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The lines of the function whose head stands at or above `row` (1-based), the head included. */
function functionAround(lines: readonly string[], row: number): readonly string[] {
  let head = row - 1;
  // A head with many parameters spans lines; one of more than forty is not looked for.
  while (head > 0 && head > row - 40 && !/^\s{0,200}(?:async\s+)?def\b/.test(lines[head] ?? "")) head -= 1;
  const indent = indentOf(lines[head] ?? "");
  let end = head + 1;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    if (end >= row && line.trim() !== "" && indentOf(line) <= indent && !/^\s{0,200}[)\]}]/.test(line)) break;
    end += 1;
  }
  return lines.slice(head, end);
}

/** Whether a function changes the mutable default of its parameter; one that only reads it is safe. */
function changesDefault(place: Place, lines: readonly string[]): boolean {
  const before = (lines[place.start_location.row - 1] ?? "").slice(0, place.start_location.column - 1);
  const name = /(\w{1,100})\s{0,9}(?::[^=]{0,200})?=\s{0,9}$/.exec(before)?.[1];
  const value = (lines[place.start_location.row - 1] ?? "").slice(place.start_location.column - 1);
  // A cache on purpose says so by its name or by what it starts with.
  if (
    name === undefined ||
    /^_|cache|memo|seen/i.test(name) ||
    !/^(?:\[\s*\]|\{\s*\}|(?:set|list|dict)\(\s*\))/.test(value)
  )
    return false;
  const change = new RegExp(
    `(?<![\\w.])${name}(?:\\.(?:append|extend|insert|add|update|pop|popitem|remove|clear|setdefault|sort|reverse|discard)\\(|\\[[^\\]]{0,200}\\]\\s{0,9}[-+*/|&]?=(?!=)|\\s{0,9}[-+*/|&]=)|\\bdel\\s+${name}\\[`,
  );
  return functionAround(lines, place.start_location.row).some((line) => change.test(line));
}

/** A command that is put together from pieces, here or on the next two lines; a fixed or handed-over one is the caller's affair. */
function gluesCommand(lines: readonly string[], row: number): boolean {
  const around = lines.slice(row - 1, row + 2).join("\n");
  return /\bf["'][^"'\n]{0,500}\{|["']\s{0,9}\+|\+\s{0,9}["']|["']\s{0,9}%\s{0,9}[\w(]|["']\.format\(/.test(around);
}

/** Names that come and go at run time: a file that writes into its own namespace, asks whether a name exists, or deletes it. */
function definesNamesAtRunTime(name: string, lines: readonly string[]): boolean {
  if (/^__\w+__$/.test(name) || lines.some((line) => line.trimStart().startsWith("del ") && line.includes(name)))
    return true;
  return lines.some((line) => /\bglobals\(\)|\bvars\(\)|\bexec\(|\bNameError\b|\b__builtins__\b/.test(line));
}

/** Whether a function or class takes the name of an earlier one; parameters, imports and placeholders hide nothing in use. */
function redefines(message: string, line: string, lines: readonly string[]): boolean {
  const [, name = "", first = "0"] = /of unused `(\w{1,200})` from line (\d+)/.exec(message) ?? [];
  const definition = new RegExp(`^\\s{0,200}(?:async\\s+)?(?:def|class)\\s+${name}\\b`);
  return name !== "" && definition.test(line) && definition.test(lines[Number(first) - 1] ?? "");
}

/** Whether the complaint is about something that its author is likely to have meant. */
export function isMeant(place: Place, lines: readonly string[]): boolean {
  const { row } = place.start_location;
  const line = lines[row - 1] ?? "";
  switch (place.code) {
    case "F821":
      return definesNamesAtRunTime(/`([^`]+)`/.exec(place.message)?.[1] ?? "", lines);
    case "F811":
      return !redefines(place.message, line, lines);
    case "B006":
      return !changesDefault(place, lines);
    case "S602":
    case "S605":
      return !gluesCommand(lines, row);
    case "T100":
      return place.message.startsWith("Import");
    case "PLW0127":
      // At the top `Name = Name` makes an alias for importers; in an `else` it spells out the other case.
      return (
        indentOf(line) === 0 || /^\s{0,200}(?:(?:else|try)\s{0,9}:|(?:if|elif|except)\b)/.test(lines[row - 2] ?? "")
      );
    case "PLR0124":
      return /[!=]=/.test(place.message);
    default:
      return false;
  }
}
