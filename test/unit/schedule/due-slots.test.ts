// When digests are due: by the clocks of 24 zones, over both changes of the clocks, minute by minute.
import { describe, expect, it } from "vitest";
import { dueSlots } from "../../../src/schedule/due-slots.ts";

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);

/** One of every offset that people live by, half hours and quarters among them, with and without summer time. */
const zones = [
  "Pacific/Pago_Pago",
  "Pacific/Honolulu",
  "America/Anchorage",
  "America/Los_Angeles",
  "America/Denver",
  "America/Chicago",
  "America/New_York",
  "America/Halifax",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Atlantic/Azores",
  "Europe/London",
  "Europe/Berlin",
  "Africa/Cairo",
  "Asia/Tehran",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Ho_Chi_Minh",
  "Asia/Shanghai",
  "Asia/Tokyo",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
] as const;

/** Decides as the store does: a slot that is known is never decided again. */
function decide(cron: string, zone: string, times: Iterable<number>): Map<string, number> {
  const decided = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;
  for (const now of times) {
    const [due] = dueSlots(cron, zone, now, 1);
    if (due === undefined || due.dueAt <= last || decided.has(due.slot)) continue;
    decided.set(due.slot, due.dueAt);
    last = due.dueAt;
  }
  return decided;
}

function* every(step: number, from: number, to: number): Iterable<number> {
  for (let now = from; now < to; now += step) yield now;
}

describe("dueSlots", () => {
  it("is due in its minute, by the clock of its zone", () => {
    const nine = at("2026-03-02T02:00:00Z");
    const of = (now: number) => dueSlots("0 9 * * 1-5", "Asia/Ho_Chi_Minh", now, 1)[0];
    expect(of(nine)).toEqual({ slot: "2026-03-02 09:00", dueAt: nine });
    expect(of(nine + 59_000)?.slot).toBe("2026-03-02 09:00");
    expect(of(nine - 1)?.slot).toBe("2026-02-27 09:00");
  });

  it("gives the one before, too", () => {
    const slots = dueSlots("0 9 * * *", "UTC", at("2026-03-02T10:00:00Z"), 2).map(({ slot }) => slot);
    expect(slots).toEqual(["2026-03-02 09:00", "2026-03-01 09:00"]);
  });

  it.each([
    ["a time that the clocks leave out", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-31T12:00:00Z"],
    ["a time that comes twice", "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-27T12:00:00Z"],
  ])("decides %s once a day", (_name, cron, from, to) => {
    const decided = decide(cron, "Europe/Berlin", every(60_000 * 15, at(from), at(to)));
    const days = [...decided.keys()].map((slot) => slot.slice(0, 10));
    expect(new Set(days).size).toBe(days.length);
    expect(days).toHaveLength(4);
  });

  it.each(zones)("decides every day once over the changes of the clocks in %s", (zone) => {
    // Wherever summer time begins or ends, it does so within one of these weeks.
    for (const week of ["2026-03-06", "2026-03-27", "2026-04-03", "2026-10-02", "2026-10-23", "2026-10-30"]) {
      const start = at(`${week}T00:00:00Z`);
      for (const cron of ["0 9 * * *", "30 2 * * *"]) {
        const decided = decide(cron, zone, every(6 * HOUR, start, start + 4 * 24 * HOUR));
        const days = [...decided.keys()].map((slot) => slot.slice(0, 10));
        expect(new Set(days).size, `${week} ${cron}`).toBe(days.length);
        const [first, last] = [days[0] ?? "", days.at(-1) ?? ""];
        expect(days.length, `${week} ${cron}: ${days}`).toBe((at(last) - at(first)) / (24 * HOUR) + 1);
      }
    }
  });
});
