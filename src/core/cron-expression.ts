// Checks the five fields of a cron expression, so that a wrong one is refused where it is typed.

interface FieldRange {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const ranges: readonly FieldRange[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { min: 0, max: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** True for minute, hour, day, month and weekday, each `*`, a number, a name, a range, a list or any of them with a step. */
export function isCronExpression(text: string): boolean {
  if (text.length > 100) return false;
  const fields = text.trim().split(/\s+/u);
  return fields.length === ranges.length && fields.every((field, index) => isField(field, ranges[index]));
}

function isField(field: string, range: FieldRange | undefined): boolean {
  return range !== undefined && field.split(",").every((part) => isPart(part, range));
}

function isPart(part: string, range: FieldRange): boolean {
  const [span = "", step, ...rest] = part.split("/");
  if (rest.length > 0 || (step !== undefined && !(/^\d{1,2}$/u.test(step) && Number(step) > 0))) return false;
  if (span === "*") return true;
  const [first = "", last, ...more] = span.split("-");
  if (more.length > 0) return false;
  const from = numberOf(first, range);
  const to = last === undefined ? from : numberOf(last, range);
  return from !== null && to !== null && from <= to;
}

function numberOf(text: string, { min, max, names }: FieldRange): number | null {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + min;
  if (!/^\d{1,2}$/u.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
