// The answer to a check, contract schema 1.1.
import type { EngineStatus } from "../ports/check-engine.ts";
import type { Cluster } from "./cluster.ts";
import type { PathCode } from "./paths.ts";

export interface CheckResponse {
  readonly schemaVersion: "1.1";
  /** `clean` only if every enabled engine finished; `error` if there is nothing to show and one did not. */
  readonly status: "clean" | "issues_found" | "error";
  readonly engines: Readonly<Record<string, EngineStatus>>;
  readonly totalIssues: number;
  readonly clusters: readonly Cluster[];
  readonly truncated: boolean;
  readonly loopWarning: string | null;
  /** Only where a named path is gone: the rest has been checked. */
  readonly missing?: readonly MissingPath[];
}

export interface MissingPath {
  readonly path: string;
  readonly code: Extract<PathCode, "path_not_found">;
  readonly message: string;
}

export function statusOf(engines: Readonly<Record<string, EngineStatus>>, issues: number): CheckResponse["status"] {
  const enabled = Object.values(engines).filter((engine) => engine.status !== "disabled");
  if (enabled.length > 0 && enabled.every((engine) => engine.status === "error")) return "error";
  if (issues > 0) return "issues_found";
  return enabled.every((engine) => engine.status === "ok") ? "clean" : "error";
}
