// Composes a digest: one card that sums up a window of time, one section for each repository.
import type { Card, Tone } from "../core/card.ts";
import { type BySeverity, type DigestNumbers, reviewCount, total } from "../core/digest.ts";
import type { StoredFinding } from "../core/finding.ts";
import { severities } from "../core/problem.ts";
import type { Texts } from "../ports/texts.ts";
import { assembleCard } from "./assemble-card.ts";
import { type Say, sayIn } from "./change-view.ts";
import { renderOptions } from "./compose-report.ts";
import { localTime } from "./local-time.ts";
import { createToBlocks } from "./to-blocks.ts";

export interface DigestSection {
  readonly repository: string;
  readonly numbers: DigestNumbers;
  /** The same of the window of the same length before this one. */
  readonly before: DigestNumbers;
  /** The gravest that are open, in reading order. */
  readonly top: readonly { readonly finding: StoredFinding; readonly url: string | null }[];
}

export interface ComposeDigestInput {
  readonly texts: Texts;
  readonly locale: string;
  readonly channel?: string;
  /** At least one. */
  readonly sections: readonly DigestSection[];
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly timeZone: string;
}

export function composeDigest(input: ComposeDigestInput): Card {
  const { texts, locale, sections, from, to, timeZone } = input;
  const say = sayIn(texts, locale);
  const names = sections.map(({ repository }) => repository).join(say("list.separator"));
  const title = say("digest.title", { repository: names });
  const period = say("digest.period", { from: localTime(from, locale, timeZone), to: localTime(to, locale, timeZone) });
  const rendered = texts.render(
    "digest",
    { title, period, sections: sections.map((section) => sectionView(section, sections.length > 1, say, texts)) },
    renderOptions(input),
  );
  const news = sections.reduce((sum, { numbers }) => sum + total(numbers.fresh), 0);
  return assembleCard(rendered, createToBlocks(), {
    tone: toneOf(sections),
    fallback: say("digest.fallback", { title, n: news }),
  });
}

function sectionView(section: DigestSection, isNamed: boolean, say: Say, texts: Texts) {
  const { repository, numbers, before, top } = section;
  const counts = (by: BySeverity): string | null => {
    const parts = [...severities].reverse().flatMap((severity) => {
      const n = by[severity];
      return n === 0 ? [] : [say(`severity.count.${severity}`, { n })];
    });
    return parts.length === 0 ? null : parts.join(say("list.separator"));
  };
  const joined = (parts: readonly string[]): string | null =>
    parts.length === 0 ? null : parts.join(say("list.separator"));
  const more = total(numbers.open) - top.length;
  return {
    heading: isNamed ? repository : null,
    reviews: joined([
      String(reviewCount(numbers)),
      ...Object.entries(numbers.reviews).map(([status, n]) => `${say(`status.${status}`)}: ${n}`),
    ]),
    silent: joined(numbers.silent.map(({ reason, n }) => `${n} × ${reasonText(reason, say, texts)}`)),
    fresh: counts(numbers.fresh) ?? say("digest.none"),
    resolved: counts(numbers.resolved),
    dismissed: counts(numbers.dismissed),
    open: counts(numbers.open) ?? say("digest.none"),
    trend: say("digest.trend", {
      reviews: reviewCount(before),
      fresh: total(before.fresh),
      resolved: total(before.resolved),
    }),
    top: top.map(({ finding, url }) => ({
      severity: say(`severity.${finding.severity}`),
      place: finding.line === undefined ? finding.file : `${finding.file}:${finding.line}`,
      url,
      title: finding.title,
    })),
    more: top.length > 0 && more > 0 ? say("report.more_problems", { n: more }) : null,
  };
}

function reasonText(reason: string, say: Say, texts: Texts): string {
  const key = `digest.silent.${reason}`;
  return texts.has(key) ? say(key) : reason;
}

function toneOf(sections: readonly DigestSection[]): Tone {
  const fresh = sections.map(({ numbers }) => numbers.fresh);
  if (fresh.some(({ critical, high }) => critical + high > 0)) return "danger";
  return fresh.some((counts) => total(counts) > 0) ? "info" : "good";
}
