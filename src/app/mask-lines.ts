// Masks secrets in lines of code and keeps one line for each line, so that the numbers beside them stay right.
import type { Redactor } from "../ports/redactor.ts";

const mask = "***";
const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/u;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/u;
/** A whole line of base 64: the middle of a key, whose ends may stand outside of what is shown, or nothing that is read anyway. */
const base64Line = /^\s*[A-Za-z0-9+/]{60,}={0,2}\s*$/u;

export function maskLines(lines: readonly string[], redactor: Redactor): readonly string[] {
  const withoutKeys = maskKeys(lines);
  const together = redactor.redact(withoutKeys.join("\n")).split("\n");
  return together.length === lines.length ? together : withoutKeys.map((line) => redactor.redact(line));
}

function maskKeys(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => keyEnds.test(line));
  const begin = lines.findIndex((line) => keyBegins.test(line));
  // What is shown may begin within a key.
  let inside = end >= 0 && (begin < 0 || begin > end);
  return lines.map((line) => {
    const begins = keyBegins.test(line);
    const hidden = inside || begins;
    inside = hidden && !keyEnds.test(line);
    return hidden || base64Line.test(line) ? mask : line;
  });
}
