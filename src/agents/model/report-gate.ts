// Holds back what concludes a review while only a part of it is read: a skip or a summary counts once every part was.

export interface Verdicts {
  /** What the model would have called, in order of the parts. */
  readonly skips: readonly string[];
  readonly summaries: readonly { readonly title?: string; readonly markdown: string }[];
}

export interface ReportGate {
  /** The answer to a call that is held back; null when the call goes to the server. */
  hold(tool: "skip" | "publish_summary", input: unknown): string | null;
  /** Whether the part that is being read has reported or concluded something. */
  readonly hasSpoken: () => boolean;
  noteProblem(): void;
  beginPart(): void;
  verdicts(): Verdicts;
}

/** With one part nothing is held back: the server keeps what it is told. */
export function createReportGate(parts: number): ReportGate {
  const skips: string[] = [];
  const summaries: { title?: string; markdown: string }[] = [];
  let hasSpoken = false;
  return {
    hold(tool, input) {
      const given = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
      if (parts === 1) {
        hasSpoken = true;
        return null;
      }
      const text = given[tool === "skip" ? "reason" : "markdown"];
      // The server says best what is wrong.
      if (typeof text !== "string" || text.trim() === "" || text.length > 60_000) return null;
      hasSpoken = true;
      if (tool === "skip") {
        skips.push(text);
        return JSON.stringify({ accepted: true, reason: text });
      }
      const { title } = given;
      summaries.push({ ...(typeof title === "string" ? { title } : {}), markdown: text });
      return JSON.stringify({ accepted: true, summaryCount: summaries.length });
    },
    hasSpoken: () => hasSpoken,
    noteProblem() {
      hasSpoken = true;
    },
    beginPart() {
      hasSpoken = false;
    },
    verdicts: () => ({ skips, summaries }),
  };
}
