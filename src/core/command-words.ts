// Words of a typed line: splitting with quotes and full-width punctuation, putting a line together again, and the nearest word.

const quotePairs: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "„": "“",
  "‘": "’",
  "「": "」",
  "『": "』",
  "«": "»",
};

/** Splits at white space (the ideographic space too); quotes keep words together. Null when a quote is not closed. */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let closing: string | null = null;
  for (const character of toAsciiPunctuation(text)) {
    if (closing !== null) {
      if (character === closing) closing = null;
      else word += character;
    } else if (/\s/u.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quotePairs[character] !== undefined && (word === null || word.endsWith(":"))) {
      closing = quotePairs[character];
      word ??= "";
    } else word = (word ?? "") + character;
  }
  if (closing !== null) return null;
  if (word !== null) words.push(word);
  return words;
}

/** Input methods of Chinese and Japanese type ：／＃ and the like where the grammar wants : / #. */
function toAsciiPunctuation(text: string): string {
  return text.replace(/[\uFF01-\uFF5E]/gu, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0));
}

/** A line that `splitWords` takes apart into these words again; a word that no quotes can hold is left out. */
export function joinWords(words: readonly string[]): string {
  return words
    .map(quoted)
    .filter((word) => word !== null)
    .join(" ");
}

function quoted(word: string): string | null {
  if (isPlain(word)) return word;
  const [, prefix = "", value = ""] = /^(-?[a-z_]+:)?(.*)$/su.exec(word) ?? [];
  const pair = Object.entries(quotePairs).find(([, close]) => !value.includes(close));
  return pair === undefined ? null : `${prefix}${pair[0]}${value}${pair[1]}`;
}

/** Whether a word stands for itself: nothing in it that separates words or opens a quote. */
function isPlain(word: string): boolean {
  const [only, ...others] = splitWords(word) ?? [];
  return others.length === 0 && only === word;
}

/** The candidate at the least edit distance, if it is near enough to have been meant. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  const typed = word.slice(0, 64).toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = (rows[i - 1]?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return rows[a.length]?.[b.length] ?? 0;
}
