// The part of the machine's system that programs need to run behind a wall: libraries and certificates, no configuration, no keys.
import { lstat, mkdir, readlink, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface SystemPart {
  readonly path: string;
  /** Set where the path is a link, as on systems that moved /bin into /usr. */
  readonly linkTo?: string;
}

const folders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Public halves alone: /etc/ssl as a whole holds private keys, which a bot that runs as root could read. */
const settings = [
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust",
  "/etc/ld.so.cache",
  "/etc/alternatives",
];

/** What of the system is there. */
export async function systemParts(): Promise<readonly SystemPart[]> {
  const parts: SystemPart[] = [];
  for (const path of [...folders, ...settings]) {
    const stats = await lstat(path).catch(() => null);
    if (stats === null) continue;
    if (!stats.isSymbolicLink()) parts.push({ path });
    else if ((await stat(path).catch(() => null)) !== null) parts.push({ path, linkTo: await readlink(path) });
  }
  return parts;
}

/** Whether a path lies in a part of the system, so that it needs no mount of its own. */
export function isInSystem(path: string, parts: readonly SystemPart[]): boolean {
  return parts.some((part) => path === part.path || path.startsWith(`${part.path}/`));
}

/** Files that programs look up about users and hosts: ours, with nobody of the machine in them. */
export const identityFiles = ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf"] as const;

/**
 * Writes the identity files into a folder, under their base names.
 *
 * @param home as it is named inside.
 */
export async function writeIdentity(folder: string, home: string): Promise<void> {
  const [uid, gid] = identity();
  const root = uid === 0 ? "" : "root:x:0:0::/nonexistent:/bin/false\n";
  const rootGroup = gid === 0 ? "" : "root:x:0:\n";
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "passwd"), `${root}agent:x:${uid}:${gid}::${home}:/bin/sh\n`);
  await writeFile(join(folder, "group"), `${rootGroup}agent:x:${gid}:\n`);
  await writeFile(join(folder, "hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  await writeFile(join(folder, "nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n");
}

/** Who the agent is inside: the bot's own user, without its powers, so that what it writes can be read and removed. */
export function identity(): readonly [uid: number, gid: number] {
  return [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
