// Turns the checked file into the configuration that the product uses: absolute paths, resolved secrets, whole filters.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Filters } from "../core/subscription.ts";
import type { Config, GitCredentialsConfig, RepositoryConfig, SubscriptionConfig } from "./config.ts";
import type { ConfigFile } from "./schema.ts";

type FileRepository = ConfigFile["repositories"][number];
type FileSubscription = ConfigFile["subscriptions"][number];

export interface ResolveOptions {
  /** Absolute path of the file; null for the defaults. */
  readonly file: string | null;
  /** What relative paths start from, absolute. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function resolveConfig(parsed: ConfigFile, { file, folder, env }: ResolveOptions): Config {
  const absolute = (path: string): string => resolve(folder, path.replace(/^~(?=\/|$)/, homedir()));
  const dataDir = absolute(parsed.data_dir);
  const repositories = parsed.repositories.map((one) => resolveRepository(one, { absolute, dataDir, env }));
  const { server, limits } = parsed;
  return {
    file,
    server: {
      host: server.host,
      port: server.port,
      ...(server.public_url === undefined ? {} : { publicUrl: server.public_url.replace(/\/+$/, "") }),
    },
    dataDir,
    language: parsed.language,
    logLevel: parsed.log.level,
    repositories,
    subscriptions: parsed.subscriptions.map(resolveSubscription),
    channels: parsed.channels,
    noProblems: parsed.no_problems,
    limits: {
      reviewMs: limits.review_seconds * 1000,
      diffBytes: limits.diff_bytes,
      fileBytes: limits.file_bytes,
      runBytes: limits.run_bytes,
      concurrency: limits.concurrency,
      keepDays: limits.keep_days,
      keepRunDays: limits.keep_run_days,
    },
    templateFolders: parsed.templates.folders.map(absolute),
    secrets: repositories.flatMap(({ source }) =>
      source.kind === "url" && source.credentials?.password !== undefined ? [source.credentials.password] : [],
    ),
  };
}

interface Surroundings {
  readonly absolute: (path: string) => string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function resolveRepository(one: FileRepository, surroundings: Surroundings): RepositoryConfig {
  const { alias, vcs, web, agent } = one;
  return {
    alias,
    vcs,
    source: sourceOf(one, surroundings),
    ...(one.default_branch === undefined ? {} : { defaultBranch: one.default_branch }),
    web: definedOnly(web),
    agent,
    ...(one.no_problems === undefined ? {} : { noProblems: one.no_problems }),
    ...(one.visible_to === undefined ? {} : { visibleTo: one.visible_to }),
  };
}

function sourceOf(one: FileRepository, surroundings: Surroundings): RepositoryConfig["source"] {
  const { absolute, dataDir, env } = surroundings;
  if (one.demo === true) return { kind: "demo", path: join(dataDir, one.alias) };
  if (one.url === undefined) return { kind: "path", path: absolute(one.path ?? ".") };
  if (one.credentials === undefined) return { kind: "url", url: one.url };
  const { username, password_env, ssh_key_file, ssh_known_hosts_file } = one.credentials;
  const credentials: GitCredentialsConfig = definedOnly({
    username,
    password: password_env === undefined ? undefined : env[password_env],
    sshKeyFile: ssh_key_file === undefined ? undefined : absolute(ssh_key_file),
    sshKnownHostsFile: ssh_known_hosts_file === undefined ? undefined : absolute(ssh_known_hosts_file),
  });
  return { kind: "url", url: one.url, credentials };
}

function resolveSubscription(one: FileSubscription): SubscriptionConfig {
  return {
    conversation: one.conversation,
    repository: one.repository,
    filters: filtersOf(one),
    mode: one.mode,
    severity: one.severity,
    ...(one.no_problems === undefined ? {} : { noProblems: one.no_problems }),
    ...(one.language === undefined ? {} : { language: one.language }),
  };
}

function filtersOf(one: FileSubscription): Filters {
  const branches = split(one.branch);
  const paths = [one.path, one.watch_path, one.include_cr_file].map(split);
  const authors = split(one.author);
  return {
    branches: branches.included,
    notBranches: branches.excluded,
    paths: paths.flatMap(({ included }) => included),
    notPaths: [...paths.flatMap(({ excluded }) => excluded), ...listOf(one.exclude_cr_file)],
    authors: authors.included,
    notAuthors: authors.excluded,
  };
}

/** As in chat, a glob that begins with `-` excludes. */
function split(globs: string | readonly string[] | undefined): {
  readonly included: string[];
  readonly excluded: string[];
} {
  const all = listOf(globs);
  return {
    included: all.filter((glob) => !glob.startsWith("-")),
    excluded: all.filter((glob) => glob.startsWith("-")).map((glob) => glob.slice(1)),
  };
}

function listOf(globs: string | readonly string[] | undefined): readonly string[] {
  return globs === undefined ? [] : typeof globs === "string" ? [globs] : globs;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedOnly<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
