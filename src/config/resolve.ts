// Turns the checked file into the configuration that the product uses: absolute paths, resolved secrets, whole filters.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Filters } from "../core/subscription.ts";
import { resolveChannelSecrets } from "./channel-secrets.ts";
import type { Config, GitCredentialsConfig, P4SourceConfig, RepositoryConfig, SubscriptionConfig } from "./config.ts";
import { globOfSvn, globsOfDepot } from "./depot-globs.ts";
import { hearingOf } from "./people-schema.ts";
import { resolveTriggers, resolveWebhooks } from "./push-sources.ts";
import { resolveAgents, secretsOfAgents } from "./resolve-agents.ts";
import { sandboxConfigOf } from "./sandbox-schema.ts";
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
  const urls = new Map(parsed.repositories.map(({ alias, url }) => [alias, url]));
  const webhooks = resolveWebhooks(parsed.webhooks, (alias) => urls.get(alias), env);
  const triggers = resolveTriggers(parsed.triggers, env);
  const agents = resolveAgents(parsed, env);
  const channelSecrets = resolveChannelSecrets(parsed.channels, env);
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
    subscriptions: parsed.subscriptions.map((one) => resolveSubscription(one, parsed.repositories)),
    ...(parsed.operators === undefined ? {} : { operators: parsed.operators }),
    roles: parsed.roles,
    quotas: {
      person: parsed.quotas.person_per_minute,
      conversation: parsed.quotas.conversation_per_minute,
      admin: parsed.quotas.admin_per_minute,
    },
    webhooks,
    triggers,
    agents,
    sandbox: sandboxConfigOf(parsed.sandbox),
    channels: parsed.channels,
    channelSecrets,
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
    secrets: [
      ...repositories.flatMap(({ source }) => secretsOf(source)),
      ...webhooks.flatMap(({ secret }) => secret ?? []),
      ...triggers.map(({ apiKey }) => apiKey),
      ...Object.values(channelSecrets),
      ...secretsOfAgents(agents),
    ],
  };
}

interface Surroundings {
  readonly absolute: (path: string) => string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function secretsOf(source: RepositoryConfig["source"]): readonly string[] {
  if (source.kind === "p4") return source.password === undefined ? [] : [source.password];
  if (source.kind !== "url" && source.kind !== "svn") return [];
  return source.credentials?.password === undefined ? [] : [source.credentials.password];
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
    pollMs: one.poll_seconds * 1000,
    ...(one.no_problems === undefined ? {} : { noProblems: one.no_problems }),
    ...(one.visible_to === undefined ? {} : { visibleTo: one.visible_to }),
  };
}

function sourceOf(one: FileRepository, surroundings: Surroundings): RepositoryConfig["source"] {
  const { absolute, dataDir, env } = surroundings;
  if (one.demo === true) return { kind: "demo", path: join(dataDir, one.alias) };
  if (one.vcs === "p4" && one.p4 !== undefined) return p4SourceOf(one.p4, env);
  if (one.url === undefined) return { kind: "path", path: absolute(one.path ?? ".") };
  const kind = one.vcs === "svn" ? "svn" : "url";
  if (one.credentials === undefined) return { kind, url: one.url };
  const { username, password_env, ssh_key_file, ssh_known_hosts_file } = one.credentials;
  const credentials: GitCredentialsConfig = definedOnly({
    username,
    password: password_env === undefined ? undefined : env[password_env],
    sshKeyFile: ssh_key_file === undefined ? undefined : absolute(ssh_key_file),
    sshKnownHostsFile: ssh_known_hosts_file === undefined ? undefined : absolute(ssh_known_hosts_file),
  });
  return { kind, url: one.url, credentials };
}

function p4SourceOf(p4: NonNullable<FileRepository["p4"]>, env: Surroundings["env"]): P4SourceConfig {
  const { port, user, password_env, depot_path: depotPath, charset, fingerprint } = p4;
  const password = password_env === undefined ? undefined : env[password_env];
  return { kind: "p4", port, user, depotPath, ...definedOnly({ password, charset, fingerprint }) };
}

function resolveSubscription(one: FileSubscription, repositories: readonly FileRepository[]): SubscriptionConfig {
  const repository = repositories.find(({ alias }) => alias === one.repository);
  return {
    conversation: one.conversation,
    repository: one.repository,
    filters: filtersOf(one, repository),
    mode: one.mode,
    severity: one.severity,
    ...(one.no_problems === undefined ? {} : { noProblems: one.no_problems }),
    ...(one.language === undefined ? {} : { language: one.language }),
    ...hearingOf(one),
  };
}

function filtersOf(one: FileSubscription, repository: FileRepository | undefined): Filters {
  const relative = (globs: readonly string[]): readonly string[] =>
    globs.flatMap((glob) => pathGlobs(glob, repository) ?? []);
  const branches = split(one.branch);
  const paths = [one.path, one.watch_path, one.include_cr_file].map(split);
  const authors = split(one.author);
  return {
    branches: branches.included,
    notBranches: branches.excluded,
    paths: relative(paths.flatMap(({ included }) => included)),
    notPaths: relative([...paths.flatMap(({ excluded }) => excluded), ...listOf(one.exclude_cr_file)]),
    authors: authors.included,
    notAuthors: authors.excluded,
  };
}

/** Paths as their VCS writes them, made relative to the repository; null for one that lies outside of it. */
function pathGlobs(glob: string, repository: Pick<FileRepository, "vcs" | "p4"> | undefined): readonly string[] | null {
  if (repository?.vcs === "svn") return [globOfSvn(glob)];
  if (repository?.vcs !== "p4" || repository.p4 === undefined) return [glob];
  return globsOfDepot(glob, repository.p4.depot_path);
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
