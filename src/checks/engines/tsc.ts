// tsc: its plain output read into diagnostics, the list of its inputs, and complaints about the configuration.
import type { Diagnostic } from "../../ports/check-engine.ts";

export const tscFiles = /\.(?:[cm]?ts|tsx)$/i;

export interface TscOutput {
  /** `file` is as tsc printed it: relative to its working directory, POSIX separators. */
  readonly diagnostics: readonly Diagnostic[];
  /** Complaints without a place, about options and configuration files: `TS5023`, message. */
  readonly globals: readonly { readonly rule: string; readonly message: string }[];
  /** What `--listFiles` printed: the absolute path of every file of the program. */
  readonly inputs: readonly string[];
}

const placed = /^(.+?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/;
const unplaced = /^(?:error|warning) (TS\d+): (.*)$/;
const listed = /^(?:\/|[A-Za-z]:[\\/]|\\\\).+\.(?:[cm]?[jt]sx?|json)$/i;

export function parseTsc(stdout: string): TscOutput {
  const diagnostics: Diagnostic[] = [];
  const globals: { rule: string; message: string }[] = [];
  const inputs: string[] = [];
  for (const raw of stdout.split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const at = placed.exec(line);
    if (at !== null) {
      const [, file = "", row = "1", column = "1", severity, rule = "", message = ""] = at;
      diagnostics.push({
        engine: "tsc",
        rule,
        file: file.replaceAll("\\", "/"),
        line: Number(row),
        col: Number(column),
        severity: severity === "warning" ? "warning" : "error",
        message: message.trim(),
        // The command line offers no fixes.
        fixable: false,
      });
      continue;
    }
    const global = unplaced.exec(line);
    if (global !== null) globals.push({ rule: global[1] ?? "", message: (global[2] ?? "").trim() });
    // Indented lines elaborate the message above.
    else if (listed.test(line)) inputs.push(line.replaceAll("\\", "/"));
  }
  return { diagnostics, globals, inputs };
}
