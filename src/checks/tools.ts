// The five diagnostics tools as a tool set: input checked strictly, answers in the contract's shapes.
import type { z } from "zod";
import { AppError } from "../core/errors.ts";
import type { Locale } from "../ports/texts.ts";
import type { Tool, ToolAnnotations, ToolResult, ToolSet } from "../ports/tool.ts";
import type { CheckAnswer, Checks } from "./checks.ts";
import { type EngineName, engineNames } from "./limits.ts";
import { checkMessages, type EngineFault } from "./messages.ts";
import { inputs, jsonSchema, outputs, type ToolName } from "./tool-schemas.ts";

export interface CheckToolsOptions {
  readonly checks: Checks;
  /** The product's version. */
  readonly version: string;
  /** English by default. */
  readonly locale?: Locale;
}

const serverName = "aicr-checks";

/** An engine's limit that reached the whole call; the usual way is a status of the engine among others. */
export function engineLimitError(
  engine: EngineName,
  fault: EngineFault & { kind: "timeout" | "output_exceeded" },
): AppError {
  const value = fault.kind === "timeout" ? fault.seconds : fault.mebibytes;
  return new AppError(fault.kind === "timeout" ? "timeout" : "too_large", checkMessages("en").fault(engine, fault), {
    remedy: "Check fewer files at a time.",
    reason: fault.kind === "timeout" ? "engine_timeout" : "engine_output_exceeded",
    params: { engine, value },
  });
}

export function createCheckTools(options: CheckToolsOptions): ToolSet {
  const { checks, version } = options;
  const messages = checkMessages(options.locale ?? "en");

  const handlers: {
    readonly [N in ToolName]: (input: z.infer<ReturnType<(typeof inputs)[N]>>) => Promise<ToolResult> | ToolResult;
  } = {
    ping: () => structured({ ok: true, server: serverName, version }),
    // Not cancelled with the call: clients give up after a minute by default, tsc may need two, and its result is kept for
    // the call that they make next. A server that ends kills what runs.
    check_project: async (input) => answered(await checks.check(input.paths ?? ["."])),
    check_files: async (input) => answered(await checks.check(input.files)),
    get_issue_detail(input) {
      const { clusterId, issueId } = input;
      const issues = checks.detail(clusterId !== undefined ? { clusterId } : { issueId: issueId ?? "" });
      if (issues === null) return structured({ status: "stale", message: messages.stale() });
      return { text: JSON.stringify(issues), structured: { issues }, isError: false };
    },
    get_loop_status: () => structured({ ...checks.loopStatus() }),
  };

  function makeTool<N extends ToolName>(
    name: N,
    title: string,
    description: string,
    annotations: ToolAnnotations,
  ): Tool {
    return {
      name,
      title,
      description,
      // Made when they are listed, so that a server answers its first message sooner.
      get inputSchema() {
        return jsonSchema(inputs[name]());
      },
      get outputSchema() {
        return jsonSchema(outputs[name]());
      },
      annotations,
      async call(input) {
        const parsed = inputs[name]().safeParse(input ?? {});
        if (!parsed.success) return refused("invalid_arguments", describeIssues(parsed.error));
        try {
          return await handlers[name](parsed.data as z.infer<ReturnType<(typeof inputs)[N]>>);
        } catch (thrown) {
          return limited(thrown);
        }
      },
    };
  }

  /** A limit of an engine has its own shape; other faults are the transport's to report. */
  function limited(thrown: unknown): ToolResult {
    if (!(thrown instanceof AppError)) throw thrown;
    const engine = engineNames.find((name) => name === thrown.params["engine"]);
    const value = Number(thrown.params["value"]);
    if (engine !== undefined && thrown.reason === "engine_timeout") {
      const message = messages.fault(engine, { kind: "timeout", seconds: value });
      return failure({ status: "timeout", engine, message });
    }
    if (engine !== undefined && thrown.reason === "engine_output_exceeded") {
      const message = messages.fault(engine, { kind: "output_exceeded", mebibytes: value });
      return failure({ status: "error", code: "engine_output_exceeded", engine, message });
    }
    throw thrown;
  }

  const tools: readonly Tool[] = [
    makeTool("ping", "Ping", "Confirms that the diagnostics server answers.", reading),
    makeTool(
      "check_project",
      "Check the project",
      "Checks files and directories of the project with oxlint, tsc and biome. Answers with clusters of issues, likely causes first.",
      reading,
    ),
    makeTool(
      "check_files",
      "Check files",
      "Checks the named files. Files whose result is known run no engine; tsc runs whole programs, and only when something relevant changed.",
      reading,
    ),
    makeTool(
      "get_issue_detail",
      "Issues of a cluster",
      "Lists the issues of a cluster, or one issue, of the newest check. Give exactly one of clusterId and issueId.",
      reading,
    ),
    makeTool("get_loop_status", "Loops", "Tells which issues keep coming back after they were fixed.", reading),
  ];
  return {
    name: serverName,
    version,
    instructions:
      "Call check_project once, then check_files after each edit. Clusters come gravest first; expand one with get_issue_detail.",
    tools,
    resolveName: (name) => tools.find((tool) => tool.name === name)?.name ?? null,
  };
}

/** Engines only read the project. */
const reading: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function answered(answer: CheckAnswer): ToolResult {
  if (answer.kind === "refused") return refused(answer.code, answer.message, answer.path);
  return structured({ ...answer.response });
}

function structured(value: Readonly<Record<string, unknown>>): ToolResult {
  return { text: JSON.stringify(value), structured: value, isError: false };
}

function refused(code: string, message: string, path?: string): ToolResult {
  return failure({ status: "error", code, message, ...(path === undefined ? {} : { path }) });
}

/** Without structured content: the output schema speaks of answers. */
function failure(value: Readonly<Record<string, unknown>>): ToolResult {
  return { text: JSON.stringify(value), isError: true };
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const field = issue.path.map(String).join(".");
      return field === "" ? issue.message : `${field}: ${issue.message}`;
    })
    .join("; ");
}
