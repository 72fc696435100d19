// Finds the product's own files, whether it runs from its sources or from its bundles.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../core/errors.ts";

const packageName = "aicr-bot";

let found: { readonly root: string; readonly version: string } | null = null;

/** The folder of the product's package.json, absolute. Throws AppError `config` when the installation is broken. */
export function packageRoot(): string {
  return ownPackage().root;
}

/** The product's version, as its package.json says. Throws AppError `config` when the installation is broken. */
export function packageVersion(): string {
  return ownPackage().version;
}

/** Path of a bundle that `npm run build` makes from `src/entries/<name>.ts`; it need not exist. */
export function bundlePath(name: string): string {
  return join(packageRoot(), "dist", `${name}.mjs`);
}

function ownPackage(): { readonly root: string; readonly version: string } {
  found ??= search(dirname(fileURLToPath(import.meta.url)));
  return found;
}

/** Walks up, since a source and a bundle lie at different depths. */
function search(start: string): { readonly root: string; readonly version: string } {
  for (let folder = start; ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
      if (name === packageName) return { root: folder, version: String(version) };
    }
    if (dirname(folder) === folder) break;
  }
  throw new AppError("config", "The package.json that comes with the bot is missing.", {
    remedy: "Install the bot again, with its package.json beside dist/.",
  });
}
