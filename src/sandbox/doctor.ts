// What `aicr-bot doctor` says of sandboxes: which one agents run in, and why not in a stronger one.
import { toAppError } from "../core/errors.ts";
import { type Sandboxes, type SandboxSettings, strongestFirst } from "./detect.ts";

export interface SandboxCheck {
  readonly name: string;
  run(): Promise<{ readonly state: "ok" | "warn" | "fail"; readonly detail: string; readonly remedy?: string }>;
}

/** One check, which tries every backend until one works (all of them when none has been chosen by name). */
export function sandboxChecks(sandboxes: Sandboxes, settings: SandboxSettings): readonly SandboxCheck[] {
  return [
    {
      name: "sandbox",
      async run() {
        try {
          const chosen = await sandboxes.choose();
          const weaknesses = Object.entries(chosen.capabilities.enforces).flatMap(([limit, how]) =>
            how === "hard" ? [] : [`${limit}: ${how === "watched" ? "watched" : "not enforced"}`],
          );
          const passedOver = settings.backend === "auto" ? await unusable(chosen.name) : [];
          const detail = [chosen.name, ...weaknesses, ...passedOver].join("; ");
          if (chosen.capabilities.isIsolated) return { state: "ok", detail };
          return {
            state: "warn",
            detail: `${detail}; agents see this machine's files and network`,
            remedy: "Install bubblewrap (apt-get install bubblewrap) or podman, and let sandbox.backend be auto.",
          };
        } catch (thrown) {
          const { message, remedy } = toAppError(thrown);
          return { state: "fail", detail: message, remedy };
        }
      },
    },
  ];

  /** Those that come before the chosen one, each with its reason. */
  async function unusable(chosen: string): Promise<string[]> {
    const reasons: string[] = [];
    for (const backend of strongestFirst) {
      if (backend === chosen) break;
      const probe = await sandboxes.probe(backend);
      if (probe.kind === "unusable") reasons.push(`not ${backend}: ${probe.reason}`);
    }
    return reasons;
  }
}
