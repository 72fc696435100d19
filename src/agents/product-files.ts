// The product's own files that agents and tool servers run from, for the eyes of a sandbox; nothing else of its folder.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * @param root the folder of the product's package.json. Its data, its configuration and its .env may lie there too, so that it is
 *   never shown whole.
 * @returns absolute paths; node itself is one of them.
 */
export function productFiles(root: string): readonly string[] {
  const files = [join(root, "dist"), join(root, "package.json"), join(root, "node_modules")];
  // Installed as somebody's dependency, it has its packages beside it.
  if (basename(dirname(root)) === "node_modules") files.push(dirname(root));
  return [process.execPath, ...files.filter((path) => existsSync(path))];
}
