// The people's command language: one parser for every platform, and the nearest right command for a wrong one.

export type Command =
  | {
      readonly verb: "review";
      readonly repository: string;
      /** Empty: the newest change of the default branch. */
      readonly rev: string;
      readonly agent?: string;
      readonly paths: readonly string[];
    }
  | { readonly verb: "help" | "repos" }
  | { readonly verb: "status"; readonly review?: string };

export type ParsedCommand =
  | { readonly ok: true; readonly command: Command }
  | {
      readonly ok: false;
      readonly reason: "unknown_word" | "unknown_option" | "missing_value" | "too_many_words" | "unclosed_quote";
      /** The word that is wrong. */
      readonly word: string;
      /** The nearest right command, without the leading slash. */
      readonly nearest: string;
    };

/** Words of the command language; no repository may have one as its alias (DESIGN §5). */
export const commandWords = [
  "help",
  "repos",
  "status",
  "cancel",
  "rerun",
  "why",
  "subscribe",
  "unsubscribe",
  "subscriptions",
  "explain",
  "mute",
  "unmute",
  "findings",
  "dismiss",
  "reopen",
  "digest",
  "link",
  "dashboard",
  "review",
] as const;

const simpleVerbs = ["help", "repos", "status"] as const;

/**
 * Reads what follows `/review`. Full-width punctuation and smart quotes count as their ASCII forms.
 * @param repositories aliases that the person may know of, for the nearest right command.
 */
export function parseCommand(text: string, repositories: readonly string[]): ParsedCommand {
  const words = splitWords(text);
  if (words === null) return wrong("unclosed_quote", text.trim(), "help");
  const [first, ...rest] = words;
  if (first === undefined) return { ok: true, command: { verb: "help" } };
  const verb = simpleVerbs.find((known) => known === first.toLowerCase());
  if (verb === "status") {
    if (rest.length > 1) return wrong("too_many_words", rest[1] ?? "", `status ${rest[0]}`);
    return { ok: true, command: { verb, ...(rest[0] === undefined ? {} : { review: rest[0] }) } };
  }
  if (verb !== undefined) {
    return rest.length === 0 ? { ok: true, command: { verb } } : wrong("too_many_words", rest[0] ?? "", verb);
  }
  return parseReview(first, rest, repositories);
}

function parseReview(repository: string, rest: readonly string[], repositories: readonly string[]): ParsedCommand {
  if (!repositories.includes(repository)) {
    return wrong("unknown_word", repository, nearestReview(repository, rest, repositories));
  }
  let rev: string | null = null;
  let agent: string | undefined;
  const paths: string[] = [];
  for (const word of rest) {
    const option = /^(agent|path):(.*)$/su.exec(word);
    if (option) {
      const value = option[2] ?? "";
      if (value === "") return wrong("missing_value", word, `${repository} ${rev ?? "HEAD"} ${option[1]}:…`);
      if (option[1] === "agent") agent = value;
      else paths.push(value);
    } else if (rev !== null) {
      const unknown = /^[a-z_]+:/u.test(word);
      return wrong(unknown ? "unknown_option" : "too_many_words", word, `${repository} ${rev}`);
    } else rev = word;
  }
  return {
    ok: true,
    command: { verb: "review", repository, rev: rev ?? "", ...(agent === undefined ? {} : { agent }), paths },
  };
}

/** The command with its first word put right, and what else is wrong with it put right too. */
function nearestReview(word: string, rest: readonly string[], repositories: readonly string[]): string {
  const near = nearestWord(word, [...repositories, ...simpleVerbs]);
  if (near === null || !repositories.includes(near)) return near ?? "help";
  const parsed = parseReview(near, rest, repositories);
  return parsed.ok ? [near, ...rest.map(quoted)].join(" ") : parsed.nearest;
}

function quoted(word: string): string {
  return /\s/u.test(word) ? word.replace(/^((?:agent|path):)?(.*)$/su, '$1"$2"') : word;
}

function wrong(reason: Extract<ParsedCommand, { ok: false }>["reason"], word: string, nearest: string): ParsedCommand {
  return { ok: false, reason, word: word.slice(0, 80), nearest };
}

const quotePairs: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "‘": "’", "「": "」" };

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
