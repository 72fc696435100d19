// The part of the file that says who may push changes to the bot over HTTP: git hosts' webhooks, and triggers.
import * as z from "zod";
import { type GitProvider, gitProviders } from "../feeds/git-push/git-host.ts";
import { nameOfUrl } from "../feeds/git-push/host-names.ts";
import type { TriggerSource } from "../feeds/triggers.ts";
import type { WebhookSource } from "../feeds/webhooks.ts";
import type { ConfigPath } from "./mistakes.ts";
import { type Add, list, type Raw, record } from "./raw.ts";
import { isUnset, secretName, unsetText } from "./secret-name.ts";

const alias = z.string().min(1).meta({ description: "An alias from repositories." });
const hostName = z.string().min(1).max(1024);

export const webhooksSchema = z
  .array(
    z.strictObject({
      provider: z.enum(gitProviders).meta({ description: "Which host it is; the address is /webhooks/<provider>." }),
      secret_env: secretName.optional().meta({ description: "The variable that holds the secret set at the host." }),
      insecure: z.literal(true).optional().meta({
        description: "Instead of a secret, to try things: pushes of this machine's own programs need no proof.",
      }),
      repositories: z.array(alias).min(1).meta({ description: "The only repositories that this secret speaks for." }),
      names: z
        .record(z.string(), z.union([hostName, z.array(hostName).min(1)], "must be a name or a list of names"))
        .default({})
        .meta({ description: "By alias: what the host calls it (owner/name); by default the path of its url." }),
    }),
  )
  .default([])
  .meta({ description: "Git hosts that tell of pushes." });

const triggerList = z
  .array(
    z.strictObject({
      repository: alias,
      api_key_env: secretName.meta({ description: "The variable that holds the key sent as X-API-Key." }),
    }),
  )
  .default([]);

export const triggersSchema = z
  .strictObject({ p4: triggerList, svn: triggerList })
  .prefault({})
  .meta({ description: "Perforce triggers and Subversion hooks that tell of changes." });

type Env = Readonly<Record<string, string | undefined>>;

/** What the checks need to know of the rest of the file. */
export interface Surroundings {
  readonly repositories: readonly Raw[];
  readonly env: Env;
  /** Whether this machine alone reaches the server. */
  readonly isLocal: boolean;
  /** Complains if the repository is not configured. */
  readonly checkAlias: (value: unknown, path: ConfigPath) => void;
  readonly add: Add;
}

/** Mistakes that no single value shows, in a group as it is written. */
export function checkWebhooks(sources: readonly Raw[], around: Surroundings): void {
  for (const [index, source] of sources.entries()) {
    const path = ["webhooks", index];
    const where = `webhooks[${index}]`;
    checkProof(source, path, where, around);
    const aliases = list(source["repositories"]);
    const names = typeof source["names"] === "object" && source["names"] !== null ? Object.keys(source["names"]) : [];
    for (const [place, one] of aliases.entries()) {
      checkGit(one, names, [...path, "repositories", place], where, around);
    }
    for (const name of names.filter((one) => !aliases.includes(one))) {
      around.add([...path, "names", name], `${where}.names has ${name}, which is not in its repositories.`);
    }
  }
}

function checkProof(source: Raw, path: ConfigPath, where: string, { env, isLocal, add }: Surroundings): void {
  const { secret_env: variable, insecure } = source as { secret_env?: unknown; insecure?: unknown };
  if (variable === undefined && insecure !== true) {
    add(
      path,
      `${where} has no secret_env: without a secret anybody could send pushes. Name the variable that holds it.`,
    );
  } else if (variable !== undefined && insecure === true) {
    add([...path, "insecure"], `${where} has both a secret_env and insecure; keep the secret.`);
  } else if (insecure === true && !isLocal) {
    add(
      [...path, "insecure"],
      `${where}.insecure is for this machine alone: use a secret_env where server.host or server.public_url lets others in.`,
    );
  }
  if (isUnset(variable, env)) add([...path, "secret_env"], unsetText(variable));
}

function checkGit(
  name: unknown,
  names: readonly string[],
  path: ConfigPath,
  where: string,
  around: Surroundings,
): void {
  around.checkAlias(name, path);
  const repository = around.repositories.find((one) => one["alias"] === name);
  if (repository === undefined) return;
  if ((repository["vcs"] ?? "git") !== "git") {
    around.add(path, `${where} is of a git host, but ${String(name)} is no git repository; see triggers.`);
  } else if (typeof repository["url"] !== "string" && !names.includes(String(name))) {
    around.add(
      path,
      `${where} cannot know what its host calls ${String(name)}, which has no url. Say it: names: { ${String(name)}: owner/name }.`,
    );
  }
}

/** As for webhooks. */
export function checkTriggers(triggers: Raw, { repositories, env, checkAlias, add }: Surroundings): void {
  const owners = new Map<string, string>();
  for (const vcs of ["p4", "svn"] as const) {
    for (const [index, source] of list(triggers[vcs]).map(record).entries()) {
      const path = ["triggers", vcs, index];
      const { repository: name, api_key_env: variable } = source as { repository?: unknown; api_key_env?: unknown };
      checkAlias(name, [...path, "repository"]);
      const repository = repositories.find((one) => one["alias"] === name);
      if (repository !== undefined && (repository["vcs"] ?? "git") !== vcs) {
        add(
          [...path, "repository"],
          `triggers.${vcs} is for repositories with vcs: ${vcs}; ${String(name)} has another.`,
        );
      }
      if (isUnset(variable, env)) add([...path, "api_key_env"], unsetText(variable));
      const key = typeof variable === "string" ? env[variable] : undefined;
      const owner = key === undefined || key === "" ? undefined : owners.get(key);
      if (owner !== undefined) {
        // The key says which repository is meant, so that no payload has to be believed.
        add(
          [...path, "api_key_env"],
          `triggers.${vcs}[${index}] has the key of ${owner}; each needs a key of its own.`,
        );
      } else if (key !== undefined) owners.set(key, `triggers.${vcs}[${index}]`);
    }
  }
}

type Url = (alias: string) => string | undefined;

/** @param urlOf the address of a configured git repository; undefined for local ones. */
export function resolveWebhooks(
  sources: z.output<typeof webhooksSchema>,
  urlOf: Url,
  env: Env,
): readonly WebhookSource[] {
  return sources.map(({ provider, secret_env, repositories, names }) => ({
    provider: provider satisfies GitProvider,
    secret: secret_env === undefined ? null : (env[secret_env] ?? ""),
    repositories: repositories.map((one) => {
      const url = urlOf(one);
      const given = names[one] ?? (url === undefined ? null : nameOfUrl(url)) ?? [];
      return { alias: one, names: typeof given === "string" ? [given] : given, ...(url === undefined ? {} : { url }) };
    }),
  }));
}

export function resolveTriggers(triggers: z.output<typeof triggersSchema>, env: Env): readonly TriggerSource[] {
  return (["p4", "svn"] as const).flatMap((vcs) =>
    triggers[vcs].map(({ repository, api_key_env }) => ({ vcs, repository, apiKey: env[api_key_env] ?? "" })),
  );
}
