// Runs oxlint, tsc and biome through their port and keeps what is worth a reviewer's time.
import type { CheckEngines, Diagnostic, EngineStatus } from "../../ports/check-engine.ts";
import type { Complaint, InspectedFile, Inspection, Inspector } from "./complaint.ts";
import { assess } from "./review-worthy.ts";
import { sourceKind } from "./source-kinds.ts";

/** What each engine knows best comes first: when two complain of one line, they mean the same defect. */
const precedence = ["tsc", "oxlint", "biome"];

function byPrecedence(a: Diagnostic, b: Diagnostic): number {
  return precedence.indexOf(a.engine) - precedence.indexOf(b.engine) || a.line - b.line || a.col - b.col;
}

/** Keeps one complaint a line, and one syntax complaint a file, since each further one follows from the first. */
function withoutEchoes(complaints: readonly Complaint[]): readonly Complaint[] {
  const lines = new Set<string>();
  const unreadable = new Set(complaints.filter((complaint) => complaint.category === "syntax").map(({ file }) => file));
  const reported = new Set<string>();
  return complaints.filter((complaint) => {
    if (complaint.category === "syntax") return !reported.has(complaint.file) && reported.add(complaint.file);
    // What an engine makes of a file that it cannot parse is guesswork.
    if (unreadable.has(complaint.file)) return false;
    const place = `${complaint.file}\0${complaint.line}`;
    return !lines.has(place) && lines.add(place);
  });
}

function lineOf(file: InspectedFile | undefined, line: number): string {
  return file?.text.split("\n", line)[line - 1] ?? "";
}

export function createEngineInspector(engines: CheckEngines): Inspector {
  return {
    name: "engines",
    fits: (path) => ["javascript", "typescript", "css"].includes(sourceKind(path)),
    async inspect(side, signal): Promise<Inspection> {
      const files = side.files.map((file) => file.path);
      const diagnosis = await engines.diagnose({ root: side.root, files, signal });
      const wanted = new Map(side.files.map((file) => [file.path, file]));
      const complaints = diagnosis.diagnostics
        .filter((diagnostic) => wanted.has(diagnostic.file))
        .toSorted(byPrecedence)
        .flatMap((diagnostic) => assess(diagnostic, lineOf(wanted.get(diagnostic.file), diagnostic.line)) ?? []);
      const used: Record<string, EngineStatus> = {};
      for (const [engine, status] of Object.entries(diagnosis.engines))
        if (status.status !== "disabled") used[engine] = status;
      return { complaints: withoutEchoes(complaints), engines: used };
    },
  };
}
