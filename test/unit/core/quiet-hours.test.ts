// Quiet hours end at the local time that was asked for, also on the days when clocks are changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatQuietHours, isTimeZone, parseQuietHours, quietUntil } from "../../../src/core/quiet-hours.ts";

const night = { from: 22 * 60, to: 8 * 60 };

describe("parseQuietHours", () => {
  it("reads spans, and writes them again", () => {
    expect(parseQuietHours("22:00-08:00")).toEqual(night);
    expect(parseQuietHours("9:30 – 17:00")).toEqual({ from: 570, to: 1020 });
    expect(formatQuietHours(night)).toBe("22:00-08:00");
  });

  it.each(["", "22-8", "24:00-08:00", "22:60-08:00", "08:00-08:00", "22:00-08:00-09:00"])("refuses %j", (text) => {
    expect(parseQuietHours(text)).toBeNull();
  });
});

describe("isTimeZone", () => {
  it("knows zones, and neither offsets nor nonsense", () => {
    expect(["UTC", "Asia/Ho_Chi_Minh", "America/Argentina/Buenos_Aires"].every(isTimeZone)).toBe(true);
    expect(["+02:00", "Mars/Base", "", "a".repeat(100)].some(isTimeZone)).toBe(false);
  });
});

describe("quietUntil", () => {
  it.each([
    ["2026-03-10T23:30:00Z", "UTC", "2026-03-11T08:00:00Z"],
    ["2026-03-10T07:59:59Z", "UTC", "2026-03-10T08:00:00Z"],
    ["2026-03-10T08:00:00Z", "UTC", null],
    ["2026-03-10T21:59:59Z", "UTC", null],
    ["2026-03-10T14:30:00Z", "Asia/Ho_Chi_Minh", null],
    ["2026-03-10T15:30:00Z", "Asia/Ho_Chi_Minh", "2026-03-11T01:00:00Z"],
    // Kathmandu is 5:45 ahead.
    ["2026-03-10T20:00:00Z", "Asia/Kathmandu", "2026-03-11T02:15:00Z"],
    // The night in which Berlin's clocks go forward, and the one in which they go back.
    ["2026-03-28T22:30:00Z", "Europe/Berlin", "2026-03-29T06:00:00Z"],
    ["2026-10-24T21:30:00Z", "Europe/Berlin", "2026-10-25T07:00:00Z"],
  ])("at %s in %s is %s", (now, zone, until) => {
    const end = quietUntil(Date.parse(now), night, zone);
    expect(end === null ? null : new Date(end).toISOString().replace(".000", "")).toBe(until);
  });

  it("ends within a day and an hour, at a moment that is not quiet", () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata");
    const time = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) });
    fc.assert(
      fc.property(minute, minute, zone, time, (from, to, timeZone, now) => {
        fc.pre(from !== to);
        const end = quietUntil(now, { from, to }, timeZone);
        if (end === null) return;
        expect(end).toBeGreaterThan(now);
        expect(end - now).toBeLessThanOrEqual(25 * 3_600_000);
        expect(quietUntil(end, { from, to }, timeZone)).toBeNull();
      }),
    );
  });
});
