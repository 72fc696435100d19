// A moment as people read it: in their language, by the clock of a time zone that is named beside it.

/** @param time ms since the epoch. */
export function localTime(time: number, locale: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
    timeZone,
  });
  return `${format.format(time)} (${timeZone})`;
}
