// Makes exported trees read-only, opens single folders of them for a moment, and lists them.
import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const readOnlyFolder = 0o555;
const readOnlyFile = 0o444;
const writableFolder = 0o755;

/** Takes the write permission from every folder and file. It guards against accidents; walls are the sandbox's. */
export async function sealTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await sealTree(path);
    // A link's target is not ours to change.
    else if (entry.isFile()) await chmod(path, readOnlyFile);
  }
  await chmod(folder, readOnlyFolder);
}

/**
 * Makes the folders from `root` down to `relative` writable, as far as they exist.
 *
 * @returns seals them again, and those made meanwhile.
 */
export async function openTree(root: string, relative: string): Promise<() => Promise<void>> {
  const folders = [root];
  for (const part of relative.split("/")) {
    if (part !== "" && part !== ".") folders.push(join(folders.at(-1) ?? root, part));
  }
  await setMode(folders, writableFolder);
  return () => setMode(folders, readOnlyFolder);
}

async function setMode(folders: readonly string[], mode: number): Promise<void> {
  for (const folder of folders) {
    const stats = await lstat(folder).catch(() => null);
    if (stats?.isDirectory() !== true) return;
    await chmod(folder, mode);
  }
}

export interface ListedFile {
  /** Relative to the tree, POSIX. */
  readonly path: string;
  readonly bytes: number;
}

/** Every regular file of a tree, in order of path. */
export async function listTree(root: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  await visit(root, "");
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));

  async function visit(folder: string, prefix: string): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await visit(path, `${prefix}${entry.name}/`);
      else if (entry.isFile()) files.push({ path: `${prefix}${entry.name}`, bytes: (await lstat(path)).size });
    }
  }
}
