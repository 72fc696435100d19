// The closed world in which svn runs: an empty configuration, no prompts, no stored passwords, ssh without options of others.
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SvnVcsOptions } from "./options.ts";

export interface SvnEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
  /** svn's configuration folder, with nothing of anybody's in it. */
  readonly configuration: string;
  /** Working directory of every process, and the place of short-lived files. */
  readonly directory: string;
}

/** Makes the folders that it names. */
export async function prepareEnvironment(options: SvnVcsOptions): Promise<SvnEnvironment> {
  const directory = join(options.cacheDir, "svn");
  const configuration = join(directory, "configuration");
  await mkdir(configuration, { recursive: true, mode: 0o700 });
  // svn writes what is missing here at its start, and two at once could read each other's halves.
  for (const name of ["config", "servers", "README.txt"])
    await appendFile(join(configuration, name), "", { mode: 0o600 });
  const outside = options.environment ?? {};
  const path = outside["PATH"] ?? process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const ssh = [
    "ssh -q -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ClearAllForwardings=yes",
    ...(options.sshKeyFile === undefined ? [] : [`-o IdentitiesOnly=yes -i ${quote(options.sshKeyFile)}`]),
    ...(options.sshKnownHostsFile === undefined
      ? []
      : [`-o ${quote(`UserKnownHostsFile=${options.sshKnownHostsFile}`)}`]),
  ];
  const env = {
    ...outside,
    PATH: path,
    HOME: directory,
    // Another locale refuses or stops at names that are not ASCII, midway and after valid output.
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    SVN_SSH: ssh.join(" "),
  };
  return { env, path, configuration, directory };
}

/** svn splits SVN_SSH as a shell would. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
