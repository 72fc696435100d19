// The aicr-checks server beside a review of JavaScript or TypeScript: on the code of strangers, so that nothing of it is obeyed or run.
import type { RunPaths } from "../ports/agent.ts";
import type { SandboxView } from "../ports/sandbox.ts";
import { readChangeFile } from "../report-tools/change-file.ts";
import type { ToolServer } from "./adapter.ts";

const checkable = /\.[cm]?[jt]sx?$/;

/** Whether the change has a file that the server's engines understand. */
export function isCheckable(files: readonly { readonly path: string; readonly kind: string }[]): boolean {
  return files.some(({ path, kind }) => kind !== "delete" && checkable.test(path));
}

/** @param entry absolute path of the bundle `mcp-checks`; @param source the new side of the changed files, as the agent sees it. */
export function checkServerArgs(entry: string, source: string): readonly string[] {
  return [entry, "--project", source, "--trust", "foreign"];
}

/** The server for an agent's program; none where it would have nothing to check. */
export function checkServers(entry: string, paths: RunPaths, view: Pick<SandboxView, "paths">): readonly ToolServer[] {
  const read = readChangeFile(paths.change);
  if (read.kind !== "ok" || !isCheckable(read.facts.files)) return [];
  return [
    {
      name: "aicr-checks",
      command: process.execPath,
      args: checkServerArgs(entry, view.paths.source),
      env: { TMPDIR: view.paths.tmp },
    },
  ];
}
