// Loads the configuration: finds the file, reads .env beside it, and reports every mistake at once.
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { AppError } from "../core/errors.ts";
import type { Config } from "./config.ts";
import { resolveConfig } from "./resolve.ts";
import { configSchema } from "./schema.ts";

export interface LoadOptions {
  /** The file to read; relative to `cwd`. Default: `aicr-bot.yaml` there, if it exists, else the defaults. */
  readonly file?: string;
  readonly cwd: string;
  /** Where secrets come from; `.env` beside the file adds what is not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const defaultName = "aicr-bot.yaml";
/** No configuration that a person writes is longer, bytes. */
const mostBytes = 1024 * 1024;
/** Throws AppError `config`, whose message holds all mistakes, one a line: `aicr-bot.yaml:12:3 …`. */
export async function loadConfig({ file, cwd, env }: LoadOptions): Promise<Config> {
  const path = file === undefined ? defaultFile(cwd) : resolve(cwd, file);
  const folder = path === null ? cwd : dirname(path);
  const variables = await withEnvFile(join(folder, ".env"), env);
  if (path === null) return resolveConfig(configSchema.parse(defaults(cwd)), { file: null, folder, env: variables });
  const label = relative(cwd, path).startsWith("..") ? path : relative(cwd, path);
  const text = await readText(path, label);
  // Only where there is a file: reading YAML takes a tenth of the time to start.
  const { parseConfig } = await import("./parse-config.ts");
  return resolveConfig(parseConfig(text, label, variables), { file: path, folder, env: variables });
}

function defaultFile(cwd: string): string | null {
  const path = join(cwd, defaultName);
  return existsSync(path) ? path : null;
}

/** What is configured where there is no file: this folder's repository, if it is in one, and the demo. */
function defaults(cwd: string): { readonly repositories: readonly object[] } {
  const here = repositoryAround(cwd);
  return {
    repositories: [...(here === null ? [] : [{ alias: ".", path: here }]), { alias: "demo", demo: true }],
  };
}

/** The root of the work tree that a folder lies in, or the folder itself if it is a bare repository. */
function repositoryAround(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || isBare(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function isBare(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));
}

/** The variables with those of an `.env` file added; what is set already wins. Throws AppError `config`. */
async function withEnvFile(path: string, env: LoadOptions["env"]): Promise<LoadOptions["env"]> {
  if (!existsSync(path) || !statSync(path).isFile()) return env;
  try {
    if (env === process.env) {
      process.loadEnvFile(path);
      return process.env;
    }
    return { ...parseEnv(await readFile(path, "utf8")), ...env };
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

async function readText(path: string, label: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    throw unreadable(label, thrown);
  }
  if (bytes.length > mostBytes) {
    throw new AppError("config", `${label}:1:1 The file is larger than a configuration can be (1 MiB).`, {
      remedy: "Name the configuration, and not some other file.",
    });
  }
  return bytes.toString("utf8");
}

function unreadable(label: string, thrown: unknown): AppError {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const missing = code === "ENOENT";
  return new AppError(
    "config",
    `${label} ${missing ? "does not exist" : `cannot be read${code === "" ? "" : ` (${code})`}`}.`,
    {
      remedy: missing
        ? "Name a file that exists, or start without --config."
        : "Give the bot's user permission to read it.",
      cause: thrown,
    },
  );
}
