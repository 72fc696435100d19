// Runs every inspector that fits a change, side by side, and keeps what the change introduced.
import { compareSeverity } from "../../core/problem.ts";
import type { EngineStatus } from "../../ports/check-engine.ts";
import type { ChangeUnderReview, ReviewedFile } from "./change-under-review.ts";
import type { Complaint, Inspection, Inspector, Side } from "./complaint.ts";
import { introducedBy, isAdded, onAddedLine } from "./introduced.ts";

/** Most findings listed for one file; more of them say no more about it. */
export const maxFindingsPerFile = 20;

/** Most findings of a change; well below the tool's cap of 500 problems a pass. */
export const maxFindings = 200;

export interface Verdict {
  readonly findings: readonly Complaint[];
  /** Numbers of findings over the caps, by file. */
  readonly capped: ReadonlyMap<string, number>;
  readonly engines: ReadonlyMap<string, EngineStatus>;
}

export interface InspectChangeParts {
  readonly inspectors: readonly Inspector[];
  /** Absolute directories of the two sides. */
  readonly sides: { readonly source: string; readonly base: string };
  readonly onProgress?: (inspector: string) => void;
}

export function createInspectChange(
  parts: InspectChangeParts,
): (change: ChangeUnderReview, signal: AbortSignal) => Promise<Verdict> {
  async function runInspector(
    inspector: Inspector,
    files: readonly ReviewedFile[],
    signal: AbortSignal,
  ): Promise<Inspection> {
    const head = await inspector.inspect({ root: parts.sides.source, files }, signal);
    // The base is looked at only where there is something to compare, and only by this inspector.
    const suspects = files.filter((file) =>
      head.complaints.some(
        (complaint) =>
          complaint.file === file.path &&
          (complaint.category === "syntax" || isAdded(file.added, onAddedLine(complaint, file.added).line)),
      ),
    );
    const withBase = suspects.filter((file) => file.basePath !== null);
    const before = withBase.length === 0 ? null : await inspector.inspect(baseSide(parts.sides.base, withBase), signal);
    const failed = Object.entries(before?.engines ?? {}).filter(([, status]) => status.status === "error");
    const complaints = suspects.flatMap((file) => {
      // Without the base's complaints nobody can say what is new.
      if (failed.length > 0 && file.basePath !== null) return [];
      return introducedBy(
        file,
        head.complaints.filter((complaint) => complaint.file === file.path),
        before?.complaints.filter((complaint) => complaint.file === file.basePath) ?? [],
      );
    });
    return { complaints, engines: { ...head.engines, ...Object.fromEntries(failed) } };
  }

  return async (change, signal) => {
    const engines = new Map<string, EngineStatus>();
    const runs = parts.inspectors.flatMap((inspector) => {
      const files = change.files.filter((file) => inspector.fits(file.path));
      return files.length === 0 ? [] : [{ inspector, files }];
    });
    const inspections = await Promise.all(
      runs.map(async ({ inspector, files }): Promise<Inspection> => {
        try {
          const inspection = await runInspector(inspector, files, signal);
          parts.onProgress?.(inspector.name);
          return inspection;
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          return { complaints: [], engines: { [inspector.name]: { status: "error", message } } };
        }
      }),
    );
    for (const inspection of inspections) {
      for (const [name, status] of Object.entries(inspection.engines)) engines.set(name, status);
    }
    return { ...cap(arrange(inspections.flatMap((inspection) => inspection.complaints))), engines };
  };
}

function baseSide(root: string, files: readonly ReviewedFile[]): Side {
  return { root, files: files.map((file) => ({ path: file.basePath ?? file.path, text: file.baseText ?? "" })) };
}

/** What the compiler and the linter both say of one defect; the linter's words are kept. */
const linterTwins: Readonly<Record<string, readonly string[]>> = {
  "tsc/TS1117": ["lint/no-dupe-keys"],
  "tsc/TS2300": ["lint/no-redeclare", "lint/no-dupe-class-members"],
  "tsc/TS2451": ["lint/no-redeclare"],
  "tsc/TS2393": ["lint/no-dupe-class-members", "lint/no-func-assign"],
  "tsc/TS2588": ["lint/no-const-assign"],
  "tsc/TS2845": ["lint/use-isnan"],
  "tsc/TS2872": ["lint/no-constant-condition", "lint/no-constant-binary-expression"],
  "tsc/TS2873": ["lint/no-constant-condition", "lint/no-constant-binary-expression"],
  "tsc/TS7027": ["lint/no-unreachable"],
};

/** One finding for each file, line and defect, gravest first within a file. */
function arrange(complaints: readonly Complaint[]): readonly Complaint[] {
  const seen = new Set<string>();
  // Conflict markers make every parser stumble; that is one defect.
  const conflicting = new Set(complaints.filter(({ category }) => category === "conflict").map(({ file }) => file));
  const placeOf = ({ file, line }: Complaint, rule: string): string => `${file}\0${line}\0${rule}`;
  const places = new Set(complaints.map((complaint) => placeOf(complaint, complaint.rule)));
  return complaints
    .filter((complaint) => !linterTwins[complaint.rule]?.some((twin) => places.has(placeOf(complaint, twin))))
    .filter(({ file, category }) => category !== "syntax" || !conflicting.has(file))
    .toSorted((a, b) => compareText(a.file, b.file) || compareSeverity(b.severity, a.severity) || a.line - b.line)
    .filter((complaint) => {
      const key = placeOf(complaint, complaint.rule);
      return !seen.has(key) && seen.add(key);
    });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Keeps what people can read: so many of a file, and so many of the whole change, the gravest first. */
function cap(complaints: readonly Complaint[]): Pick<Verdict, "findings" | "capped"> {
  const counts = new Map<string, number>();
  const capped = new Map<string, number>();
  const leaveOut = ({ file }: Complaint): void => void capped.set(file, (capped.get(file) ?? 0) + 1);
  const findings = complaints.filter((complaint) => {
    const count = (counts.get(complaint.file) ?? 0) + 1;
    counts.set(complaint.file, count);
    if (count > maxFindingsPerFile) leaveOut(complaint);
    return count <= maxFindingsPerFile;
  });
  if (findings.length <= maxFindings) return { findings, capped };
  const ranked = findings.toSorted((a, b) => compareSeverity(b.severity, a.severity));
  for (const complaint of ranked.slice(maxFindings)) leaveOut(complaint);
  return { findings: ranked.slice(0, maxFindings), capped };
}
