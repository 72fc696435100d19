// What the five tools promise, asked of the registry through one transport; run over all three.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordedState, readState } from "../../src/report-tools/state-file.ts";
import { currentRunId } from "../fakes/change-facts.ts";

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

export interface CallAnswer {
  readonly text: string;
  readonly structured?: unknown;
  readonly isError: boolean;
}

/** One client of a server that was started for pass `currentRunId` of the change in test/fakes/change-facts.ts. */
export interface ReportToolsPeer {
  list(): Promise<readonly ListedTool[]>;
  call(name: string, input: Record<string, unknown>): Promise<CallAnswer>;
  readonly statePath: string;
  /** Makes another pass the current one in change.json. */
  endPass(): void;
  /** Removes the directory of the state file, or brings it back. */
  loseDirectory(): Promise<void>;
  close(): Promise<void>;
}

const problem = {
  file: "src/service.ts",
  line: 14,
  severity: "high",
  category: "correctness",
  message: "The retry path returns before the job is persisted.",
};

export function describeReportTools(transport: string, open: () => Promise<ReportToolsPeer>): void {
  describe(`report tools over ${transport}`, () => {
    let peer: ReportToolsPeer;
    beforeEach(async () => {
      peer = await open();
    });
    afterEach(() => peer.close());

    function state(): RecordedState {
      const read = readState(peer.statePath, currentRunId);
      if (read.kind !== "ok") throw new Error(JSON.stringify(read));
      return read.state;
    }

    async function accepted(name: string, input: Record<string, unknown>): Promise<unknown> {
      const answer = await peer.call(name, input);
      expect(answer).toMatchObject({ isError: false });
      expect(answer.structured).toEqual(JSON.parse(answer.text));
      return answer.structured;
    }

    async function refused(name: string, input: Record<string, unknown>): Promise<string> {
      const answer = await peer.call(name, input);
      expect(answer.isError).toBe(true);
      return answer.text;
    }

    it("lists exactly the five tools, each of which explains itself", async () => {
      const tools = await peer.list();
      expect(tools.map(({ name }) => name)).toEqual([
        "aicr.report_problem",
        "aicr.publish_summary",
        "aicr.skip",
        "aicr.fetch_more_context",
        "aicr.try_blame",
      ]);
      for (const tool of tools) {
        expect(tool.title).toEqual(expect.any(String));
        expect(tool.description?.length).toBeGreaterThan(100);
        expect(tool.inputSchema).toMatchObject({ type: "object", required: expect.any(Array) });
        expect(tool.outputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
        expect(tool.annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
      }
      expect(tools.map(({ inputSchema }) => Object.keys((inputSchema as { properties: object }).properties))).toEqual([
        ["file", "line", "end_line", "severity", "category", "message", "suggestion", "fingerprint"],
        ["title", "markdown"],
        ["reason"],
        ["path", "range", "reason"],
        ["path", "range", "reason"],
      ]);
    });

    it("records problems, counts them, and knows one it had", async () => {
      expect(await accepted("aicr.report_problem", problem)).toEqual({ accepted: true, problemCount: 1 });
      expect(await accepted("aicr.report_problem", { ...problem, file: ".\\src//service.ts" })).toEqual({
        accepted: true,
        problemCount: 1,
        duplicate: true,
      });
      expect(await accepted("aicr.report_problem", { ...problem, line: 43, end_line: 46 })).toEqual({
        accepted: true,
        problemCount: 2,
      });
      expect(state().problems.map(({ line }) => line)).toEqual([14, 43]);
    });

    it("records summaries in order, and a skip", async () => {
      expect(await accepted("aicr.publish_summary", { title: "One", markdown: "# 1" })).toEqual({
        accepted: true,
        summaryCount: 1,
      });
      expect(await accepted("aicr.publish_summary", { markdown: "# 2" })).toEqual({ accepted: true, summaryCount: 2 });
      expect(await accepted("aicr.skip", { reason: "lgtm" })).toEqual({ accepted: true, reason: "lgtm" });
      expect(state()).toMatchObject({
        summaries: [{ title: "One", markdown: "# 1" }, { markdown: "# 2" }],
        skipReason: "lgtm",
      });
    });

    it("records look-ups that nobody can answer now", async () => {
      const pending = { accepted: true, pending: true };
      const range = { start_line: 3, end_line: 9 };
      expect(await accepted("aicr.fetch_more_context", { path: "./a.ts", reason: "r", range })).toEqual(pending);
      expect(await accepted("aicr.try_blame", { path: "b.ts", reason: "who" })).toEqual(pending);
      expect(state()).toMatchObject({
        contextRequests: [{ path: "a.ts", range: { startLine: 3, endLine: 9 }, outcome: "pending" }],
        attributionRequests: [{ path: "b.ts", outcome: "pending" }],
      });
    });

    it("understands every client's spelling of a name", async () => {
      for (const prefix of ["aicr-output_aicr_", "mcp__aicr-output__aicr_", "mcp_aicr-output_aicr.", "AICR-"]) {
        await accepted(`${prefix}skip`, { reason: prefix });
      }
      expect(state().skipReason).toBe("AICR-");
    });

    it("refuses an unknown tool as one call, beside which others stand", async () => {
      const [unknown, known] = await Promise.all([
        refused("aicr.delete_everything", {}),
        accepted("aicr.report_problem", problem),
      ]);
      expect(unknown).toContain("aicr.report_problem");
      expect(known).toMatchObject({ problemCount: 1 });
    });

    it("names the field that is wrong and what would be right, and records nothing", async () => {
      expect(await refused("aicr.report_problem", { ...problem, severity: "bad" })).toContain(
        "severity must be one of",
      );
      expect(await refused("aicr.report_problem", {})).toMatch(/file must be.*\n.*line must be/);
      expect(await refused("aicr.skip", { reason: "  " })).toContain("reason must not be blank");
      expect(await refused("aicr.fetch_more_context", { path: "../x", reason: "r" })).toContain("`..`");
      expect(readState(peer.statePath, currentRunId)).toEqual({ kind: "missing" });
    });

    it("refuses arguments of a megabyte, and goes on", async () => {
      const huge = await refused("aicr.report_problem", { ...problem, message: "x".repeat(1_000_000) });
      expect(huge).toContain("message has 1000000 bytes; the cap is 8192 bytes");
      await accepted("aicr.report_problem", problem);
    });

    it("offers the nearest lines for a wrong anchor, and records nothing", async () => {
      const text = await refused("aicr.report_problem", { ...problem, line: 30 });
      expect(text).toContain("10-20, 40-46");
      expect(readState(peer.statePath, currentRunId)).toEqual({ kind: "missing" });
    });

    it("drops what an agent says of itself beside the fields", async () => {
      await accepted("aicr.report_problem", { ...problem, author: "mallory", attribution: { revision: "1" } });
      expect(state().problems).toEqual([problem]);
    });

    it("answers nothing and writes nothing once another pass runs", async () => {
      await accepted("aicr.report_problem", problem);
      peer.endPass();
      for (const [name, input] of [
        ["aicr.report_problem", { ...problem, line: 15 }],
        ["aicr.skip", { reason: "lgtm" }],
        ["aicr.fetch_more_context", { path: "a.ts", reason: "r" }],
      ] as const) {
        expect(await refused(name, input)).toContain("This pass of the review is over");
      }
      expect(state()).toMatchObject({ problems: [problem], contextRequests: [] });
    });

    it("accepts nothing that is not on disk", async () => {
      await accepted("aicr.report_problem", problem);
      await peer.loseDirectory();
      expect(await refused("aicr.report_problem", { ...problem, line: 15 })).toContain("could not be written");
      expect(await refused("aicr.skip", { reason: "lgtm" })).toContain("could not be written");
    });
  });
}
