// The closed world in which git runs: our own home, our own configuration, no prompts, no hooks, an allow-list of protocols.
import { mkdir, mkdtemp, rename, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckedSource } from "./source.ts";

/** Obeyed instead of the machine's and the account's configuration. Ours are bare repositories that we made ourselves. */
const CONFIGURATION = `[core]
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	quotePath = true
	commitGraph = true
[safe]
	directory = *
[protocol]
	allow = never
[credential]
	helper =
[http]
	followRedirects = false
[gc]
	auto = 0
	autoDetach = false
[maintenance]
	auto = false
[fetch]
	recurseSubmodules = false
	writeCommitGraph = false
[submodule]
	recurse = false
[transfer]
	unpackLimit = 1
[diff]
	noprefix = false
	mnemonicPrefix = false
	renames = true
	renameLimit = 1000
	submodule = short
	suppressBlankEmpty = false
[advice]
	objectNameWarning = false
`;

/** Answers git's questions from the environment of that one process; the secret is in no argument and no file. */
const ASKPASS = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$AICR_GIT_USERNAME" ;;
  *) printf '%s\\n' "$AICR_GIT_PASSWORD" ;;
esac
`;

export interface GitEnvironment {
  /** For reading our caches; reaches no network. */
  readonly local: Readonly<Record<string, string>>;
  /** For ls-remote and fetch: adds protocols and credentials. */
  readonly network: Readonly<Record<string, string>>;
}

/** Makes the files that the environment names. */
export async function prepareEnvironment(
  cacheDir: string,
  source: CheckedSource,
  outside: Readonly<Record<string, string>>,
): Promise<GitEnvironment> {
  const home = join(cacheDir, "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const configuration = join(home, "gitconfig");
  const askpass = join(home, "askpass");
  await place(configuration, CONFIGURATION, 0o600);
  await place(askpass, ASKPASS, 0o700);

  const local: Record<string, string> = {
    PATH: outside["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: configuration,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    // Discovery must not find a repository that the cache happens to lie in.
    GIT_CEILING_DIRECTORIES: cacheDir,
    // No protocol has this name: a local command that tried to fetch would fail.
    GIT_ALLOW_PROTOCOL: "none",
  };
  if (source.kind === "path") return { local, network: local };

  const { username, password, sshKeyFile, sshKnownHostsFile } = source.credentials;
  const ssh = [
    "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ClearAllForwardings=yes",
    ...(sshKeyFile === undefined ? [] : [`-o IdentitiesOnly=yes -i ${quote(sshKeyFile)}`]),
    ...(sshKnownHostsFile === undefined ? [] : [`-o ${quote(`UserKnownHostsFile="${sshKnownHostsFile}"`)}`]),
  ];
  const network = {
    ...outside,
    ...local,
    GIT_ALLOW_PROTOCOL: source.protocol,
    GIT_SSH_COMMAND: ssh.join(" "),
    GIT_ASKPASS: password === undefined ? "/bin/false" : askpass,
    ...(password !== undefined && { AICR_GIT_USERNAME: username ?? "git", AICR_GIT_PASSWORD: password }),
  };
  return { local, network };
}

/** git hands GIT_SSH_COMMAND to a shell; the paths come from the operator, yet may hold spaces. */
function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** Whole or not at all: another process may be starting git with the same file. */
async function place(path: string, text: string, mode: number): Promise<void> {
  const temporary = await mkdtemp(join(dirname(path), "new-"));
  const file = join(temporary, "file");
  await writeFile(file, text, { mode });
  await rename(file, path);
  await rmdir(temporary);
}
