// Quiet hours: a daily span of local time in which nothing is posted, computed by the platform's own time zone data.

/** Minutes after local midnight, 0–1439. A span whose end is not after its beginning goes over midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Reads `22:00-08:00`; null when the text is something else, or the span is empty. */
export function parseQuietHours(text: string): QuietHours | null {
  const match = /^(\d{1,2}):(\d{2})\s?[-–~]\s?(\d{1,2}):(\d{2})$/u.exec(text.trim());
  if (match === null) return null;
  const [fromHour = 24, fromMinute = 60, toHour = 24, toMinute = 60] = match.slice(1).map(Number);
  if (fromHour > 23 || toHour > 23 || fromMinute > 59 || toMinute > 59) return null;
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  return from === to ? null : { from, to };
}

export function formatQuietHours({ from, to }: QuietHours): string {
  return `${clockTime(from)}-${clockTime(to)}`;
}

function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Whether the time zone is known to this machine, under any of its names. */
export function isTimeZone(name: string): boolean {
  // An offset such as +02:00 has no summer time; people who type one would be an hour off half of the year.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/u.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * When the quiet hours that hold at `now` end, or null when it is not quiet. Where the clocks are changed in between, the end is
 * still the local time that was asked for; one that the change skips comes up to an hour later.
 * @param now ms since the epoch.
 */
export function quietUntil(now: number, quiet: QuietHours, timeZone: string): number | null {
  const local = localMinutes(timeZone);
  if (!isQuiet(quiet, local(now))) return null;
  let end = now - (now % MINUTE_MS);
  // At most one change of the clocks lies within a day, so that two steps reach the end and a third confirms it.
  for (let step = 0; step < 3 && isQuiet(quiet, local(end)); step++) {
    end += minutesUntil(local(end), quiet.to) * MINUTE_MS;
  }
  const late = minutesUntil(quiet.to, local(end));
  const earlier = end - late * MINUTE_MS;
  return late > 0 && earlier > now && local(earlier) === quiet.to ? earlier : end;
}

function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? from <= minute && minute < to : minute >= from || minute < to;
}

function minutesUntil(from: number, to: number): number {
  return (to - from + DAY_MINUTES) % DAY_MINUTES;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Minutes after midnight in a zone; formats are kept because making one costs a thousand times what using it does. */
function localMinutes(timeZone: string): (time: number) => number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    formats.set(timeZone, format);
  }
  const using = format;
  return (time) => {
    const [hour = 0, minute = 0] = using.format(time).split(":").map(Number);
    return hour * 60 + minute;
  };
}
