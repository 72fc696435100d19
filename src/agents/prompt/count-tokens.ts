// Estimates how many tokens a text costs, without any model's tokenizer: close for code and prose, and for CJK by the character.

// What a character adds, by its kind and by what stands before it. Measured against cl100k and o200k, the larger of the two;
// the test has the table. Every weight is positive, so that a longer text never costs less.
const wordStart = 0.72;
const wordLetter = 0.13;
const digit = 0.62;
const punctuation = 0.85;
const punctuationRun = 0.45;
const space = 0.05;
const secondSpace = 0.5;
const furtherSpace = 0.03;
const lineBreak = 0.45;
const han = 1.25;
const kana = 1;
const hangul = 1.15;
/** Latin letters with marks, which tokenizers often cut words at: Vietnamese above all. */
const markedLatin = 0.85;
/** Cyrillic, Greek, Arabic and other alphabets. */
const otherLetter = 0.5;
/** Emoji, rare ideographs, joiners: up to one token a byte. */
const astral = 2.6;
const otherSign = 1;

type Kind = "none" | "lower" | "upper" | "digit" | "sign" | "space" | "spaces" | "break" | "other";

/** At least 0; additive but for word boundaries, and never less for a text that goes on. */
export function countTokens(text: string): number {
  let total = 0;
  let before: Kind = "none";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      // The second half of a pair was paid with the first.
      if (code < 0xdc00 || code > 0xdfff) total += wide(code);
      before = "other";
      continue;
    }
    const kind = asciiKind(code);
    total += ascii(kind, before);
    before = following(kind, before);
  }
  return Math.ceil(total);
}

function following(kind: Kind, before: Kind): Kind {
  return kind === "space" && (before === "space" || before === "spaces") ? "spaces" : kind;
}

function asciiKind(code: number): Kind {
  if (code >= 0x61 && code <= 0x7a) return "lower";
  if (code >= 0x41 && code <= 0x5a) return "upper";
  if (code >= 0x30 && code <= 0x39) return "digit";
  if (code === 0x20) return "space";
  return code === 0x0a || code === 0x0d || code === 0x09 ? "break" : "sign";
}

function ascii(kind: Kind, before: Kind): number {
  switch (kind) {
    case "lower":
      return before === "lower" || before === "upper" ? wordLetter : wordStart;
    case "upper":
      // Constants are cut more often than words.
      return before === "upper" ? wordLetter * 2 : wordStart;
    case "digit":
      return digit;
    case "space":
      return before === "space" ? secondSpace : before === "spaces" ? furtherSpace : space;
    case "break":
      return before === "break" ? space : lineBreak;
    default:
      return before === "sign" ? punctuationRun : punctuation;
  }
}

function wide(code: number): number {
  if (code <= 0x024f || (code >= 0x1e00 && code <= 0x1eff) || (code >= 0x0300 && code <= 0x036f)) return markedLatin;
  if (code >= 0x4e00 && code <= 0x9fff) return han;
  if (code >= 0x3040 && code <= 0x30ff) return kana;
  if (code >= 0xac00 && code <= 0xd7a3) return hangul;
  if (code >= 0x0370 && code <= 0x1fff) return otherLetter;
  if (code >= 0xd800 && code <= 0xdbff) return astral;
  return code >= 0x3000 && code <= 0xffef ? han : otherSign;
}
