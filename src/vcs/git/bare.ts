// Makes and tends the bare repositories of our own, through which every source is read.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Makes an empty bare repository unless it exists; whole or not at all, so that a kill leaves nothing half made.
 * @param idLength digits of its object ids: 40 (SHA-1) or 64 (SHA-256).
 * @param head the branch that HEAD names. Caches have `none`, which stays unborn, so that nothing (attributes, a mailmap)
 *   is ever read from their HEAD.
 */
export async function ensureBare(path: string, idLength: 40 | 64, head = "none"): Promise<void> {
  if (await exists(join(path, "HEAD"))) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = await mkdtemp(join(dirname(path), "new-"));
  await mkdir(join(fresh, "objects", "info"), { recursive: true });
  await mkdir(join(fresh, "objects", "pack"));
  await mkdir(join(fresh, "refs", "heads"), { recursive: true });
  await writeFile(join(fresh, "HEAD"), `ref: refs/heads/${head}\n`);
  const format = idLength === 64 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const version = idLength === 64 ? 1 : 0;
  await writeFile(join(fresh, "config"), `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${format}`);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await exists(join(path, "HEAD")))) throw error;
  }
}

/** Replaces a file of ours whole, and only when its text differs; null removes it. */
export async function keepFile(path: string, text: string | null): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => null);
  if (now === text) return;
  if (text === null) return rm(path, { force: true });
  const folder = await mkdtemp(join(dirname(path), "new-"));
  await writeFile(join(folder, "file"), text);
  await rename(join(folder, "file"), path);
  await rm(folder, { recursive: true, force: true });
}

/** Removes what a killed writer left behind; to be called by the only writer there is. */
export async function removeLeftovers(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) await removeLeftovers(below);
    else if (/\.lock$|^tmp_(pack|idx|rev|obj)_/.test(entry.name)) await rm(below, { force: true });
  }
}

export async function countPacks(path: string): Promise<number> {
  const names = await readdir(join(path, "objects", "pack")).catch(() => []);
  return names.filter((name) => name.endsWith(".pack")).length;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
