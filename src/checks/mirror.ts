// A copy of the given files alone, so that engines see a stranger's text but none of the settings that lie around it.
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";

export interface Mirror {
  /** Holds the copies under their own relative paths. */
  readonly root: string;
  /** A sibling of `root` for settings and homes of engines. */
  readonly settings: string;
  /** The files that were copied; links, vanished files, settings of engines and files over the cap are left out. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** Larger files are generated; no engine of ours reads them in time. */
const maxFileBytes = 2 * 1024 * 1024;

/** Files that oxlint or biome would take as orders, wherever they lie. */
const orders =
  /^(?:\.?biome\.jsonc?|\.oxlintrc\.jsonc?|oxlint\.config\.[cm]?[jt]s|\.eslintignore|\.oxlintignore|\.gitignore|\.ignore|\.editorconfig)$/i;

/**
 * @param files repository-relative POSIX paths below `root`.
 * @param parent where the copy is made; the system's temporary folder by default.
 */
export async function createMirror(root: string, files: readonly string[], parent = tmpdir()): Promise<Mirror> {
  const base = await realpath(root);
  const home = await mkdtemp(join(await realpath(parent), "aicr-checks-"));
  const copies = join(home, "source");
  const settings = join(home, "settings");
  await mkdir(copies);
  await mkdir(settings);
  const made = new Set<string>([copies]);
  const copied: string[] = [];
  for (const file of files) {
    if (!isPlain(file) || orders.test(basename(file))) continue;
    const text = await readInside(base, file);
    if (text === null) continue;
    const target = join(copies, file);
    if (!made.has(dirname(target))) {
      await mkdir(dirname(target), { recursive: true });
      made.add(dirname(target));
    }
    await writeFile(target, text);
    copied.push(file);
  }
  return { root: copies, settings, files: copied, remove: () => rm(home, { recursive: true, force: true }) };
}

function isPlain(file: string): boolean {
  return (
    file !== "" &&
    !file.includes("\0") &&
    !file.includes("\\") &&
    !file.startsWith("/") &&
    file.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/** The bytes of a regular file that truly lies below `base`; null for anything else. */
async function readInside(base: string, file: string): Promise<Buffer | null> {
  const path = join(base, file);
  try {
    // A link among the parents leads elsewhere; the file itself must not be one either.
    if ((await realpath(dirname(path))) !== dirname(path) || !path.startsWith(base + sep)) return null;
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      return stats.isFile() && stats.size <= maxFileBytes ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
