// Fetches one version of a package with the registry's ordinary client and unpacks it; nothing of it is installed or run.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PackagePair } from "./packages.ts";

const run = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

/** Debian suites that hold the pinned versions; asked with an own state, so that the machine's settings stay untouched. */
const suites = ["bookworm", "bookworm-backports", "trixie"];
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Directory with the unpacked tree, from the cache if it was fetched before. Throws when the client fails. */
export async function fetchPackage(
  source: PackagePair["source"],
  name: string,
  version: string,
  cache: string,
): Promise<string> {
  const target = join(cache, `${name}-${version}`.replace(/[^\w.+@-]/g, "_"));
  if (existsSync(target)) return target;
  const scratch = `${target}.part`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(join(scratch, "tree"), { recursive: true });
  if (source === "npm") {
    await run("npm", ["pack", `${name}@${version}`, "--ignore-scripts", "--pack-destination", scratch], {
      cwd: scratch,
      maxBuffer,
    });
    await run("tar", ["-xzf", await only(scratch, ".tgz"), "-C", join(scratch, "tree"), "--no-same-owner"], {
      maxBuffer,
    });
  } else {
    await run("apt-get", [...(await aptState(cache)), "download", `${name}=${version}`], { cwd: scratch, maxBuffer });
    await run("dpkg-deb", ["-x", await only(scratch, ".deb"), join(scratch, "tree")], { maxBuffer });
  }
  await rename(join(scratch, "tree"), target);
  await rm(scratch, { recursive: true, force: true });
  return target;
}

async function only(folder: string, ending: string): Promise<string> {
  const found = (await readdir(folder)).find((name) => name.endsWith(ending));
  if (found === undefined) throw new Error(`The client left no ${ending} file in ${folder}.`);
  return join(folder, found);
}

let aptReady: Promise<readonly string[]> | null = null;

function aptState(cache: string): Promise<readonly string[]> {
  aptReady ??= (async () => {
    const state = join(cache, "apt");
    for (const part of ["lists/partial", "cache/archives/partial"]) await mkdir(join(state, part), { recursive: true });
    const list = suites
      .map((suite) => `deb [signed-by=${keyring}] http://deb.debian.org/debian ${suite} main\n`)
      .join("");
    await writeFile(join(state, "sources.list"), list);
    const options = [
      `Dir::Etc::sourcelist=${state}/sources.list`,
      "Dir::Etc::sourceparts=-",
      `Dir::State::lists=${state}/lists`,
      `Dir::Cache=${state}/cache`,
      "APT::Sandbox::User=root",
    ].flatMap((option) => ["-o", option]);
    await run("apt-get", [...options, "update"], { maxBuffer });
    return options;
  })();
  return aptReady;
}
