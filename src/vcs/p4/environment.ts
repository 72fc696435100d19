// The closed world in which p4 runs: our own settings files, the bot's account, no workspace, and nothing of the machine's.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Subject } from "../git/faults.ts";
import { badP4Source } from "./faults.ts";
import type { P4VcsOptions } from "./options.ts";

/** p4 looks for a file of this name from its working directory upwards; ours is empty and comes first. */
const CONFIG_NAME = "aicr-p4config";
/** Contents are read through folders whose names begin so. */
export const PRIVATE_FOLDER = "read-";
/** Reading the depot needs no workspace. The name is none of anybody's, so that no workspace's host or view is applied. */
const NO_CLIENT = "aicr-bot-without-workspace";
const PORT = /^(?:(?:tcp|ssl)(?:4|6|46|64)?:)?(?:(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*)|\[[0-9a-f:.]+\]):)?\d{1,5}$/iu;
const FINGERPRINT = /^(?:[0-9A-F]{2}:){19}[0-9A-F]{2}$|^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/i;

export interface P4Environment {
  /** Working directory of every p4 process, and where its private folders are made. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

type Settings = Pick<
  P4VcsOptions,
  "port" | "user" | "charset" | "depotPath" | "trustFingerprint" | "ticketsFile" | "cacheDir"
>;

/** Throws AppError `config`; touches neither disk nor network. */
export function checkSettings(settings: Settings, subject: Subject): void {
  const { port, user, charset, depotPath, trustFingerprint, ticketsFile } = settings;
  if (!PORT.test(port)) throw badP4Source(subject, "the port is not host:number, with or without ssl:");
  if (!/^[^\s\p{Cc}@#*%/-][^\s\p{Cc}@#*%/]*$/u.test(user)) throw badP4Source(subject, "the user is not a user name");
  if (charset !== undefined && !/^[a-z0-9][a-z0-9-]*$/.test(charset)) {
    throw badP4Source(subject, "the charset is not the name of one");
  }
  if (!/^\/\/[^/\p{Cc}@#*]+(?:\/[^/\p{Cc}@#*]+)*\/\.\.\.$/u.test(depotPath) || depotPath.slice(0, -4).includes("...")) {
    throw badP4Source(subject, "the depot path is not //depot/path/...");
  }
  if (trustFingerprint !== undefined && !FINGERPRINT.test(trustFingerprint)) {
    throw badP4Source(subject, "the fingerprint is not 20 or 32 hex pairs with colons");
  }
  if (trustFingerprint !== undefined && !/^ssl/i.test(port)) {
    throw badP4Source(subject, "a fingerprint needs an ssl: port");
  }
  if (ticketsFile !== undefined && !isAbsolute(ticketsFile)) {
    throw badP4Source(subject, "the tickets file is not an absolute path");
  }
}

/** A private folder of so long ago belongs to no call any more, ms. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Removes the private folders that a killed process left behind. */
async function sweep(home: string, now: number): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(PRIVATE_FOLDER)) continue;
    const folder = join(home, name);
    const found = await stat(folder).catch(() => null);
    if (found !== null && now - found.mtimeMs > STALE_MS) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes the files that the environment names.
 * @param now ms since the epoch.
 */
export async function prepareEnvironment(
  settings: Settings,
  outside: Readonly<Record<string, string>>,
  now: number,
): Promise<P4Environment> {
  const home = join(settings.cacheDir, "p4");
  await mkdir(home, { recursive: true, mode: 0o700 });
  await sweep(home, now);
  const enviro = join(home, "p4enviro");
  await Promise.all([join(home, CONFIG_NAME), enviro].map((file) => writeFile(file, "", { mode: 0o600 })));
  const charset = settings.charset ?? "none";
  const env: Record<string, string> = {
    PATH: outside["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    P4PORT: settings.port,
    P4USER: settings.user,
    P4CLIENT: NO_CLIENT,
    P4CONFIG: CONFIG_NAME,
    P4ENVIRO: enviro,
    P4TICKETS: settings.ticketsFile ?? join(home, `tickets-${digest(settings.port, settings.user)}`),
    // A file for each server and fingerprint: what was trusted once is not trusted for another setting.
    P4TRUST: join(home, `trust-${digest(settings.port, settings.trustFingerprint ?? "")}`),
    P4CHARSET: charset,
    // Arguments and answers are UTF-8, whatever the contents are translated to.
    ...(charset !== "none" && { P4COMMANDCHARSET: "utf8" }),
  };
  return { home, env };
}

function digest(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}
