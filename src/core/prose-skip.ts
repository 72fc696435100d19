// Understands an agent's closing prose where it reported nothing: a clean verdict, nothing to review, or missing source.
import { type ProseWords, proseWords } from "./prose-words.ts";

/** A verdict is short; prose longer than this (UTF-16 units) is not read as one. */
const longestProse = 6_000;
/** A clause longer than this says more than a verdict; it is cut into pieces that are each judged. */
const longestClause = 400;

type Verdict = "clean" | "nothing" | "missing" | "finding" | "neutral";

/**
 * What prose without any tool call means (CONTRACT §A). One sentence that sounds like a finding is enough for null, since a
 * repair costs one more pass, while a wrong skip loses a finding.
 */
export function skipFromProse(text: string): "lgtm" | "no_reviewable_code" | "needs_context" | null {
  if (text.length > longestProse) return null;
  const verdicts = new Set(
    clauses(text).map(({ words, clause, afterContrast }) => judge(words, clause, afterContrast)),
  );
  if (verdicts.has("finding")) return null;
  if (verdicts.has("missing")) return "needs_context";
  if (verdicts.has("nothing")) return "no_reviewable_code";
  return verdicts.has("clean") ? "lgtm" : null;
}

interface Clause {
  readonly clause: string;
  readonly words: ProseWords;
  /** It takes something back ("but …"), so that only a plainly good word is harmless. */
  readonly afterContrast: boolean;
}

function clauses(text: string): Clause[] {
  const plain = text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/[*_`#>~|"“”「」[\]]/g, " ");
  const found: Clause[] = [];
  // A full stop inside `file.ts` or `1.2` ends no sentence.
  for (const sentence of plain.split(/[.!?;]+(?=\s|$)|[。！？；\n\r]+/)) {
    const words = wordsOf(sentence);
    let contrast = false;
    for (const part of sentence.split(new RegExp(`(${words.contrast.source})`, words.contrast.flags))) {
      if (words.contrast.test(part) && part.length < 24) {
        contrast = true;
        continue;
      }
      for (const clause of pieces(part)) found.push({ clause, words, afterContrast: contrast });
    }
  }
  return found;
}

function pieces(part: string): string[] {
  const spaced = /\p{Script=Han}/u.test(part) ? part.replace(/\s+/g, "") : part.replace(/\s+/g, " ");
  const clause = spaced.replace(/^[\s,，:：\-–—•·()（）]+|[\s,，:：\-–—()（）]+$/g, "");
  if (clause === "") return [];
  if (clause.length <= longestClause) return [clause];
  const cut: string[] = [];
  for (let at = 0; at < clause.length; at += longestClause) cut.push(clause.slice(at, at + longestClause));
  return cut;
}

function wordsOf(sentence: string): ProseWords {
  if (/\p{Script=Han}/u.test(sentence)) return proseWords.chinese;
  return /[ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]|không/.test(sentence)
    ? proseWords.vietnamese
    : proseWords.english;
}

function judge(words: ProseWords, clause: string, afterContrast: boolean): Verdict {
  if (words.pointed.test(clause)) return words.missing.test(clause) && !/\d/.test(clause) ? "missing" : "finding";
  if (words.missing.test(clause)) return "missing";
  if (words.nothing.test(clause)) return "nothing";
  const denial = words.denial.exec(clause);
  if (denial !== null) {
    if (isWhole(words, clause)) return "clean";
    // "No issues with naming" speaks of one aspect; alone it is no verdict, and what stands beside it must be harmless.
    const rest = clause.replace(denial[0], " ");
    return afterContrast || words.finding.test(rest) ? "finding" : "neutral";
  }
  if (words.approval.test(clause)) {
    if (words.negation.test(clause)) return "finding";
    if (isWhole(words, clause)) return "clean";
    return afterContrast || words.finding.test(clause) ? "finding" : "neutral";
  }
  if (afterContrast) return "finding";
  if (words.describing.test(clause)) return "neutral";
  return words.finding.test(clause) ? "finding" : "neutral";
}

/** Whether nothing in the clause narrows it: every word is one that any verdict may hold, or a path. */
function isWhole(words: ProseWords, clause: string): boolean {
  const rest = clause.replace(words.denial, " ").replace(words.approval, " ");
  const matched = `${words.denial.exec(clause)?.[0] ?? ""} ${words.approval.exec(clause)?.[0] ?? ""}`;
  return isFiller(words, rest) && (generalList.test(matched) || isFiller(words, inner(words, matched)));
}

/** "No bugs or security issues": what is denied first is everything, so the second narrows nothing. */
const generalList =
  /\b(?:no|any|zero|0) (?:actionable |real |new )?(?:issues?|problems?|bugs?|defects?|concerns?) n?or\b/;

/** The words that a denial or approval let through within itself: "no naming issues" speaks of one aspect too. */
function inner(words: ProseWords, matched: string): string {
  return words === proseWords.chinese ? matched : matched.replace(denialWords, " ");
}

const denialWords =
  /\b(?:nothing|zero|0|without|free of|not|unable|cannot|failed|did|do|could|does|\w+n't|wrong|suspicious|problematic|stands out|anything|comment|add|address|have|had)\b/g;

function isFiller(words: ProseWords, text: string): boolean {
  if (words === proseWords.chinese) return text.replace(/[\s\p{P}]+/gu, "").replace(words.filler, "") === "";
  const tokens = text.match(/[\p{L}\p{N}'_./-]+/gu) ?? [];
  return tokens.every((token) => words.filler.test(token) || /^[\w-]*[./][\w./-]*$/.test(token));
}
