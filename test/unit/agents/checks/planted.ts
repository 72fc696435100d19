// Reads the corpus of planted defects: small diffs whose wrong lines carry the category that must be found there.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReviewedFile } from "../../../../src/agents/checks/change-under-review.ts";
import type { LineRange } from "../../../../src/agents/checks/introduced.ts";

export interface PlantedFile extends ReviewedFile {
  /** New-side line → category of the defect planted there. */
  readonly expected: ReadonlyMap<number, string>;
}

const folder = fileURLToPath(new URL("../../../fixtures/checks/planted/", import.meta.url));

/** All cases of the corpus; paths are unique over all of its files. */
export function readPlanted(): readonly PlantedFile[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => parsePlanted(readFileSync(join(folder, name), "utf8")));
}

/** Cases in one text: `=== <path>`, then the lines of a diff that shows the whole file. */
export function parsePlanted(text: string): readonly PlantedFile[] {
  return text.split(/^=== /m).slice(1).map(readCase);
}

/** Joins pieces (`{{AK|IA…}}`, so that no text of the repository looks like a secret) and names of characters. */
function fill(line: string): string {
  return line
    .replace(/\{\{([^{}]*\|[^{}]*)\}\}/g, (_, pieces: string) => pieces.replaceAll("|", ""))
    .replace(/\{U\+([0-9A-F]{4})\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

function readCase(block: string): PlantedFile {
  const [path = "", ...body] = block.replace(/\n$/, "").split("\n");
  const lines: string[] = [];
  const baseLines: string[] = [];
  const added: LineRange[] = [];
  const expected = new Map<number, string>();
  let isNew = true;
  for (const raw of body) {
    const [, marked = "", category] = /^(.*?)(?: ⟦(\w+)⟧)?$/.exec(raw) ?? [];
    const text = fill(marked.slice(1));
    if (!raw.startsWith("+")) {
      baseLines.push(text);
      isNew = false;
    }
    if (raw.startsWith("-")) continue;
    lines.push(text);
    if (raw.startsWith("+")) added.push({ start: lines.length, end: lines.length });
    if (category !== undefined) expected.set(lines.length, category);
  }
  const baseText = isNew ? null : `${baseLines.join("\n")}\n`;
  return {
    path,
    text: `${lines.join("\n")}\n`,
    lines,
    basePath: isNew ? null : path,
    baseText,
    baseLines: isNew ? null : baseLines,
    added,
    expected,
  };
}

/** Lays the two sides out on the disk, as the engines need them. */
export function layOut(
  files: readonly ReviewedFile[],
  root: string,
): { readonly source: string; readonly base: string } {
  const sides = { source: join(root, "source"), base: join(root, "base") };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(sides.base, { recursive: true });
  for (const file of files) {
    write(join(sides.source, file.path), file.text);
    if (file.basePath !== null) write(join(sides.base, file.basePath), file.baseText ?? "");
  }
  return sides;
}
