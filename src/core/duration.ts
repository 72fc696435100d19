// Lengths of time as people type them: `30m`, `2h`, `1d12h`, `1w`.

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The longest that is understood: a year, ms. */
export const MAX_DURATION_MS = 366 * 86_400_000;

/** In ms, from a minute to a year; null when the text is something else. */
export function parseDuration(text: string): number | null {
  if (!/^(?:\d{1,6}[mhdw]){1,4}$/iu.test(text)) return null;
  let total = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)([mhdw])/giu)) {
    total += Number(count) * (units[unit.toLowerCase()] ?? 0);
  }
  return total >= 60_000 && total <= MAX_DURATION_MS ? total : null;
}
