// Divides the files of a change into parts that a model can read at once: the riskiest first, cut at files, else at hunks.
import { riskOf } from "../../core/risk.ts";
import { countTokens } from "./count-tokens.ts";
import type { FileText, HunkText } from "./render-diff.ts";

/** What one part shows of a file. */
export interface FilePiece {
  readonly path: string;
  readonly text: string;
  readonly tokens: number;
}

export interface PartPlan {
  readonly parts: readonly (readonly FilePiece[])[];
  /** Paths of files that no part shows whole. */
  readonly leftOut: readonly string[];
}

export interface PartLimits {
  /** Tokens of diff that one part may hold. */
  readonly partTokens: number;
  readonly maxParts: number;
}

const ranks = { high: 0, normal: 1, low: 2 } as const;

/** Every file is in a part or left out; a file that a part shows in pieces says so in each of them. */
export function planParts(files: readonly FileText[], limits: PartLimits): PartPlan {
  const parts: FilePiece[][] = [];
  const room: number[] = [];
  const leftOut: string[] = [];
  for (const file of readingOrder(files)) {
    const pieces = piecesOf(file, limits.partTokens);
    const placed = pieces.map((piece) => place(piece));
    if (placed.includes(false)) leftOut.push(file.path);
  }
  return { parts, leftOut };

  function place(piece: FilePiece): boolean {
    let index = room.findIndex((left) => left >= piece.tokens);
    if (index < 0 && parts.length < limits.maxParts) {
      index = parts.length;
      parts.push([]);
      room.push(limits.partTokens);
    }
    const part = parts[index];
    const left = room[index];
    if (part === undefined || left === undefined || left < piece.tokens) return false;
    part.push(piece);
    room[index] = left - piece.tokens;
    return true;
  }
}

/** By risk; then by folder, so that what belongs together is read together. */
function readingOrder(files: readonly FileText[]): readonly FileText[] {
  return [...files].sort((a, b) => ranks[riskOf(a.path)] - ranks[riskOf(b.path)] || (a.path < b.path ? -1 : 1));
}

function piecesOf(file: FileText, most: number): readonly FilePiece[] {
  const whole = pieceOf(file, file.hunks, "");
  if (whole.tokens <= most) return [whole];
  // What the header and the sentence about the cut cost beside the hunks.
  const own = countTokens(file.header) + 60;
  const groups: HunkText[][] = [];
  let used = 0;
  for (const hunk of file.hunks.flatMap((one) => cutHunk(one, Math.max(1, most - own)))) {
    const last = groups.at(-1);
    if (last === undefined || used + hunk.tokens > most - own) {
      groups.push([hunk]);
      used = hunk.tokens;
    } else {
      last.push(hunk);
      used += hunk.tokens;
    }
  }
  if (groups.length === 0) return [whole];
  return groups.map((hunks, index) =>
    pieceOf(
      file,
      hunks,
      `(piece ${index + 1} of ${groups.length} of this file; another part of the review has the others)`,
    ),
  );
}

function pieceOf(file: FileText, hunks: readonly HunkText[], about: string): FilePiece {
  const said = [file.header, ...(about === "" ? [] : [about])];
  const text = [...said, ...hunks.flatMap(({ title, lines }) => [title, ...lines])].join("\n");
  return { path: file.path, text, tokens: countTokens(text) };
}

/** A hunk that is too large alone, cut between lines; every piece says that it is one. */
function cutHunk(hunk: HunkText, most: number): readonly HunkText[] {
  if (hunk.tokens <= most) return [hunk];
  const title = (first: number, last: number): string =>
    `${hunk.title} (lines ${first + 1}-${last} of ${hunk.lines.length} of this hunk; the others are in another piece)`;
  const own = countTokens(title(hunk.lines.length, hunk.lines.length)) + 4;
  const pieces: HunkText[] = [];
  let from = 0;
  let used = own;
  for (const [index, line] of hunk.lines.entries()) {
    const cost = countTokens(`${line}\n`);
    if (index > from && used + cost > most) {
      pieces.push(piece(from, index));
      from = index;
      used = own;
    }
    used += cost;
  }
  pieces.push(piece(from, hunk.lines.length));
  return pieces;

  function piece(start: number, end: number): HunkText {
    const lines = hunk.lines.slice(start, end);
    const name = title(start, end);
    return { title: name, lines, tokens: countTokens(`${name}\n${lines.join("\n")}\n`) };
  }
}
