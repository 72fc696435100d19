// What the doctor looks at of the configured agents: whether the program of each is there, and which one it is.
import { commandLines } from "../agents/adapters.ts";
import { findProgram } from "../agents/find-program.ts";
import type { Config } from "../config/config.ts";
import type { DoctorCheck } from "./doctor-checks.ts";

/** One check for each agent that is a program; nothing of it is started. */
export function agentChecks(
  { agents }: Pick<Config, "agents">,
  env: Readonly<Record<string, string | undefined>>,
): DoctorCheck[] {
  return agents.flatMap(({ name, kind, program }) => {
    const line = commandLines.find((one) => one.kind === kind);
    const wanted = program ?? line?.program;
    if (wanted === undefined) return [];
    const check: DoctorCheck = {
      name: `agent:${name}`,
      async run() {
        const found = findProgram(wanted, env["PATH"] ?? "");
        if (found !== null)
          return { state: "ok", detail: [found.path, found.version].filter(Boolean).join(", version ") };
        const remedy = `Correct agents.program, or put ${wanted} where PATH finds it.`;
        return {
          state: "fail",
          detail: `${line?.title ?? "The program"} is not there: ${wanted}.`,
          remedy: line === undefined ? remedy : `Install it with ${line.install}, or name it by agents.program.`,
        };
      },
    };
    return [check];
  });
}
