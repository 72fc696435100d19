// Calculates when a cron expression was due last, by the clock of a time zone; it wakes nobody.
import { Cron } from "croner";
import type { DueSlot } from "../core/digest.ts";

/**
 * The newest moments at or before a time, the newest first.
 * A local time that a clock change leaves out is due right after the gap, and one that comes twice is one slot, due the first time.
 * @param cron five fields.
 * @param timeZone IANA name.
 * @param now ms since the epoch.
 */
export function dueSlots(cron: string, timeZone: string, now: number, count: number): readonly DueSlot[] {
  const job = new Cron(cron, { timezone: timeZone, paused: true });
  // `previousRuns` excludes its reference; a moment is due in its own minute already.
  const reference = new Date(Math.floor(now / 60_000) * 60_000 + 60_000);
  const due = job
    .previousRuns(count + 2, reference)
    .map((time) => time.getTime())
    .filter((time) => time <= now);
  const slots = new Map<string, DueSlot>();
  for (const dueAt of due.sort((a, b) => a - b)) {
    const slot = localName(dueAt, timeZone);
    if (!slots.has(slot)) slots.set(slot, { slot, dueAt });
  }
  return [...slots.values()].reverse().slice(0, count);
}

function localName(time: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`;
}
