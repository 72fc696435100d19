// Speaks with a remote: lists its refs, fetches what is new, and tells a refusal from an outage.
import { notARepository, refused, type Subject, timedOut, tooLarge, unreachable } from "./faults.ts";
import type { Refs } from "./refs-on-disk.ts";
import type { Git, GitRun } from "./run-git.ts";
import type { CheckedSource } from "./source.ts";

type Remote = Extract<CheckedSource, { kind: "url" }>;

/** A repository with a million refs lists in about 100 bytes each. */
const MAX_LISTING_BYTES = 128 << 20;

export async function listRemote(git: Git, run: GitRun, source: Remote, subject: Subject): Promise<Refs> {
  // Patterns would match by suffix (`x/main` for `main`), so the whole list is read and sorted out here.
  const result = await git.attempt(["ls-remote", "--symref", "--quiet", "--", source.url], {
    ...run,
    maxBytes: MAX_LISTING_BYTES,
  });
  if (result.reason === "output_exceeded") throw tooLarge(subject);
  if (result.code !== 0) throw remoteFault(result.stderr.toString(), source, subject);
  return parseListing(result.stdout.toString("utf8"));
}

function parseListing(text: string): Refs {
  const ids = new Map<string, string>();
  let head: Refs["head"] = null;
  for (const line of text.split("\n")) {
    const tab = line.indexOf("\t");
    if (tab < 0) continue;
    const [value, name] = [line.slice(0, tab), line.slice(tab + 1)];
    if (name === "HEAD") {
      if (value.startsWith("ref: ")) head = { ref: value.slice(5) };
      else head ??= { id: value };
    } else if (
      /^[0-9a-f]{40,64}$/.test(value) &&
      !name.endsWith("^{}") &&
      /^refs\/(heads|tags)\/.|^refs\/(pull|merge-requests)\/\d+\/head$/.test(name)
    ) {
      ids.set(name, value);
    }
  }
  return { ids, head, remoteDefault: null };
}

/** The name under which a remote's ref is kept in our cache, apart from git's own rules for short names. */
export function cachedRef(ref: string): string {
  return ref.replace(/^refs\//, "refs/aicr/");
}

/** @param refspecs made by us; the remote's own names appear in them only as patterns or digits. */
export async function fetchRefs(
  git: Git,
  run: GitRun,
  source: Remote,
  refspecs: readonly string[],
  subject: Subject,
): Promise<void> {
  const result = await git.attempt(
    [
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-gc",
      "--no-recurse-submodules",
      "--no-show-forced-updates",
      ...(refspecs.some((spec) => spec.includes("*")) ? ["--prune"] : []),
      "--",
      source.url,
      ...refspecs,
    ],
    run,
  );
  if (result.reason === "output_exceeded") throw tooLarge(subject);
  if (result.code !== 0) throw remoteFault(result.stderr.toString(), source, subject);
}

/** Reads git's English; whatever is not recognised counts as an outage, which is retried and never taken for "no changes". */
export function remoteFault(stderr: string, source: Remote, subject: Subject): Error {
  const detail = withoutSecrets(stderr, source).slice(-500);
  if (
    /Authentication failed|could not read (Username|Password)|Permission denied|Host key verification failed|terminal prompts disabled|returned error: (401|403)|invalid credentials|access denied/i.test(
      stderr,
    )
  ) {
    return refused(subject, detail);
  }
  if (/timed out/i.test(stderr) && /operation|connection/i.test(stderr)) return timedOut(subject);
  if (
    /returned error: 404|repository .*not found|does not (appear to be a git repository|exist)|not valid: is this a git repository/i.test(
      stderr,
    )
  ) {
    return notARepository(subject, detail);
  }
  return unreachable(subject, detail);
}

function withoutSecrets(text: string, source: Remote): string {
  let clean = text.replace(/([a-z+]+:\/\/)[^/@\s]*@/gi, "$1");
  const { password } = source.credentials;
  if (password) clean = clean.replaceAll(password, "***").replaceAll(encodeURIComponent(password), "***");
  return clean;
}
