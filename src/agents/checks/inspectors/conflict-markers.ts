// Finds merge-conflict markers that were committed: an opening, a separator and a closing line, in this order.
import { type Complaint, type Inspector, inspected } from "../complaint.ts";

/**
 * A single row of `=` is a heading underline in Markdown and reStructuredText and a run of `<` is art in a text, so
 * only the whole triple counts. The labels that git writes after the outer markers are optional.
 */
export function findConflicts(path: string, text: string): readonly Complaint[] {
  if (!text.includes("<<<<<<<") || !text.includes(">>>>>>>")) return [];
  const complaints: Complaint[] = [];
  let opened: number | null = null;
  let separated = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^<{7}( \S.*)?$/.test(line)) {
      opened = index + 1;
      separated = false;
    } else if (opened !== null && /^={7}$/.test(line)) {
      separated = true;
    } else if (opened !== null && separated && /^>{7}( \S.*)?$/.test(line)) {
      complaints.push({
        rule: "conflict/marker",
        file: path,
        line: opened,
        endLine: index + 1,
        severity: "high",
        category: "conflict",
        message: { key: "conflict.marker", params: { last: index + 1 } },
        suggestion: { key: "conflict.marker.fix" },
      });
      opened = null;
    }
  }
  return complaints;
}

export function createConflictInspector(): Inspector {
  return {
    name: "conflict-markers",
    fits: () => true,
    inspect: async (side) =>
      inspected(
        "conflict-markers",
        side.files.flatMap((file) => findConflicts(file.path, file.text)),
      ),
  };
}
