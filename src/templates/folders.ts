// The folders that templates and catalogues are read from: a stack in which earlier folders shadow later ones, file by file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../core/errors.ts";

export interface TemplateFolder {
  readonly path: string;
  /** Names of the `.md` files, relative with `/`: `report.md`, `slack/report.md`. */
  readonly templates: readonly string[];
  /** A file's text; null when there is none. */
  read(name: string): string | null;
  pathOf(name: string): string;
}

/** The folder of the texts that come with the product, found from the running module upwards. Throws AppError `config`. */
export function builtInTemplates(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, "templates");
    if (existsSync(join(candidate, "locales", "en.json"))) return candidate;
    if (dirname(folder) === folder) break;
  }
  throw new AppError("config", "The folder templates/ that comes with the bot is missing.", {
    remedy: "Install the bot again, with its templates/ folder beside dist/.",
  });
}

/** Throws AppError `config` when the folder does not exist or cannot be read. */
export function openTemplateFolder(path: string): TemplateFolder {
  let templates: readonly string[];
  try {
    templates = listTemplates(path);
  } catch (thrown) {
    throw new AppError("config", `The template folder ${path} cannot be read.`, {
      remedy: "Create the folder, or take it out of the configuration.",
      cause: thrown,
    });
  }
  return {
    path,
    templates,
    read: (name) => readText(join(path, name)),
    pathOf: (name) => join(path, name),
  };
}

function listTemplates(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      if (entry.name === "locales") return [];
      return readdirSync(join(path, entry.name)).map((name) => `${entry.name}/${name}`);
    })
    .filter((name) => name.endsWith(".md"))
    .sort();
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
      .replace(/^\ufeff/, "")
      .replaceAll("\r\n", "\n");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR"))
      return null;
    throw new AppError("config", `The file ${path} cannot be read.`, {
      remedy: "Give the bot's user permission to read it.",
      cause: thrown,
    });
  }
}
