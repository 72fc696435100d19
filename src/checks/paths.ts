// Paths in a tool's input: relative to the project, below it, and nothing that a program could take for an option.
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { statIfAny } from "./stat.ts";

export type PathCode = "invalid_path" | "path_outside_project" | "path_not_found";

export type PathVerdict =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "refused"; readonly code: PathCode; readonly path: string };

/**
 * @param root the project's real path.
 * @param entry as the caller wrote it. `\` becomes `/`, `./` and `//` are folded; `.` is the project itself.
 */
export function resolvePath(root: string, entry: string): PathVerdict {
  const refused = (code: PathCode): PathVerdict => ({ kind: "refused", code, path: entry });
  // Control characters would break the engines' line-based reports.
  if (entry === "" || entry.startsWith("-") || /[\u0000-\u001f\u007f]/.test(entry)) return refused("invalid_path");
  const slashed = entry.replaceAll("\\", "/");
  if (slashed.startsWith("/") || /^[A-Za-z]:/.test(slashed)) return refused("path_outside_project");
  const parts = slashed.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return refused("path_outside_project");
  if (parts[0]?.startsWith("-") === true) return refused("invalid_path");
  const path = parts.join("/");
  const absolute = join(root, path);
  if (!isBelow(root, deepestRealPath(absolute))) return refused("path_outside_project");
  const stats = statIfAny(absolute);
  if (stats?.isDirectory() === true) return { kind: "directory", path };
  if (stats?.isFile() === true) return { kind: "file", path };
  return refused("path_not_found");
}

/** The real path of what exists of it: a link among the parents counts even if the file is gone. */
function deepestRealPath(path: string): string {
  for (let current = path; ; current = dirname(current)) {
    try {
      return realpathSync(current);
    } catch {
      if (dirname(current) === current) return current;
    }
  }
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
