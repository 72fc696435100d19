// Masks secrets: those that are known by value, and those that give themselves away by their look or their surroundings.
import type { Redactor } from "../ports/redactor.ts";
import { secretGroups } from "./secret-patterns.ts";

const mask = "***";
/** A shorter value would mask ordinary words. */
const shortestSecret = 4;
/** A masked piece can complete the surroundings of another; texts settle after two rounds. */
const mostRounds = 4;

const pemBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const pemEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What a key that was cut off may consist of: base 64, headers, line breaks that are escaped or not. */
const pemBody = /[\w+/=\s\\:,.-]*/y;

/** @param secrets values to mask from the beginning, as by `learn`. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const known = new Set<string>();
  let learnt: RegExp | null = null;

  function learn(secret: string): void {
    for (const form of formsOf(secret)) known.add(form);
    // The longest first, so that no secret is masked by half because another is its beginning.
    const sorted = [...known].sort((a, b) => b.length - a.length);
    learnt = sorted.length === 0 ? null : new RegExp(sorted.map(quote).join("|"), "g");
  }
  for (const secret of secrets) learn(secret);

  function once(text: string): string {
    let masked = learnt === null ? text : text.replace(learnt, mask);
    masked = maskPrivateKeys(masked);
    for (const { hint, patterns } of secretGroups) {
      if (!hint.test(masked)) continue;
      for (const { pattern, replacement } of patterns) masked = masked.replace(pattern, replacement);
    }
    return masked;
  }

  return {
    redact(text) {
      try {
        let before = text;
        for (let round = 0; round < mostRounds; round++) {
          const after = once(before);
          if (after === before) break;
          before = after;
        }
        return before;
      } catch {
        // Rather no text than a text with a secret in it.
        return mask;
      }
    },
    learn,
  };
}

/** A secret as it stands, and as URLs, JSON and Basic authentication write it. */
function formsOf(secret: string): readonly string[] {
  const value = secret.trim();
  if (value.length < shortestSecret || /^\**$/.test(value)) return [];
  const base64 = Buffer.from(value).toString("base64");
  const forms = [value, JSON.stringify(value).slice(1, -1), base64, base64.replace(/=+$/, "")];
  try {
    forms.push(encodeURIComponent(value));
  } catch {
    // Half a surrogate pair cannot stand in a URL.
  }
  return forms;
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Whole blocks, from their first line to their last; one without an end as far as it goes. */
function maskPrivateKeys(text: string): string {
  let out = "";
  let from = 0;
  let hasEnd = true;
  pemBegin.lastIndex = 0;
  for (let begin = pemBegin.exec(text); begin !== null; begin = pemBegin.exec(text)) {
    let stop = pemBegin.lastIndex;
    pemEnd.lastIndex = stop;
    // Once no end follows, none follows later either: the rest is not searched again.
    const end: RegExpExecArray | null = hasEnd ? pemEnd.exec(text) : null;
    hasEnd = end !== null;
    if (end !== null) stop = pemEnd.lastIndex;
    else {
      pemBody.lastIndex = stop;
      pemBody.exec(text);
      stop = pemBody.lastIndex;
    }
    out += text.slice(from, begin.index) + mask;
    from = stop;
    pemBegin.lastIndex = stop;
  }
  return from === 0 ? text : out + text.slice(from);
}
