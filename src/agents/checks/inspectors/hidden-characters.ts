// Finds characters that make code read differently from how it runs: bidirectional controls, invisible and look-alike letters.
import { type Complaint, type Inspector, inspected } from "../complaint.ts";
import { sourceKind } from "../source-kinds.ts";

/** Explicit embeddings, overrides and isolates (CVE-2021-42574); the plain marks U+200E and U+200F reorder no code. */
const bidiControl = /[\u202A-\u202E\u2066-\u2069]/u;
const bidiOpening = /[\u202A\u202B\u202D\u202E\u2066-\u2068]/gu;
const bidiClosing = /[\u202C\u2069]/gu;
/** Zero-width characters inside a word: ZWSP, word joiner, soft hyphen, BOM, Hangul fillers, invisible operators. */
const invisibleInWord = /[A-Za-z0-9_$][\u200B\u2060-\u2064\u00AD\uFEFF\u115F\u1160\u3164\uFFA0]+[A-Za-z0-9_$]/u;
/** An identifier that mixes ASCII letters with Cyrillic or Greek look-alikes. */
const identifier = /[\p{L}\p{Nl}_$][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$]*/gu;
const lookAlike =
  /[\u0430\u0435\u043E\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041A\u041C\u041D\u041E\u0420\u0421\u0422\u0425\u03BF\u03B1\u03BD\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7]/u;
const allConfusable =
  /^[A-Za-z0-9_$\u0430\u0435\u043E\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041A\u041C\u041D\u041E\u0420\u0421\u0422\u0425\u03BF\u03B1\u03BD\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7]+$/u;

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function isProse(path: string): boolean {
  const kind = sourceKind(path);
  return (
    kind === "document" ||
    /(^|\/)(locales?|i18n|lang|translations?|messages)\//i.test(path) ||
    /\.(po|pot|svg|xml|csv|tsv|srt|css)$/i.test(path)
  );
}

/** A line whose reordering does not end with it: what follows is shown in another order than it runs. */
function isUnbalanced(line: string): boolean {
  return (line.match(bidiOpening)?.length ?? 0) !== (line.match(bidiClosing)?.length ?? 0);
}

export function findHiddenCharacters(path: string, text: string): readonly Complaint[] {
  // Most files are ASCII, and are done here.
  if (!/[^\x00-\x7F]/.test(text)) return [];
  const prose = isProse(path);
  const complaints: Complaint[] = [];
  const add = (
    line: number,
    rule: string,
    key: "unicode.bidi" | "unicode.invisible" | "unicode.lookalike",
    character: string,
  ): void => {
    complaints.push({
      rule: `unicode/${rule}`,
      file: path,
      line,
      severity: rule === "bidi-control" ? "high" : "medium",
      category: rule === "bidi-control" ? "security" : "unicode",
      message: { key, params: { character: codePoint(character) } },
      suggestion: { key: "unicode.fix" },
    });
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (!/[^\x00-\x7F]/.test(line)) continue;
    const bidi = bidiControl.exec(line)?.[0];
    // Right-to-left prose uses balanced controls honestly; in code even those hide what runs.
    if (bidi !== undefined && (!prose || (sourceKind(path) !== "document" && isUnbalanced(line)))) {
      add(index + 1, "bidi-control", "unicode.bidi", bidi);
    }
    if (prose || sourceKind(path) === "other") continue;
    const invisible = invisibleInWord.exec(line)?.[0];
    if (invisible !== undefined) add(index + 1, "invisible", "unicode.invisible", invisible.slice(1, -1));
    const mixed = line
      .match(identifier)
      ?.find((word) => lookAlike.test(word) && /[A-Za-z]/.test(word) && allConfusable.test(word));
    if (mixed !== undefined) add(index + 1, "look-alike", "unicode.lookalike", lookAlike.exec(mixed)?.[0] ?? "");
  }
  return complaints;
}

export function createHiddenCharacterInspector(): Inspector {
  return {
    name: "hidden-characters",
    fits: () => true,
    inspect: async (side) =>
      inspected(
        "hidden-characters",
        side.files.flatMap((file) => findHiddenCharacters(file.path, file.text)),
      ),
  };
}
