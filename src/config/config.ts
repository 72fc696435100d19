// The configuration as the product uses it: paths absolute, secrets resolved, defaults filled in.
import type { VcsKind } from "../core/change.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { RoleGrant } from "../core/roles.ts";
import type { Filters, NoProblemsPolicy, SubscriptionTerms } from "../core/subscription.ts";
import type { TriggerSource } from "../feeds/triggers.ts";
import type { WebhookSource } from "../feeds/webhooks.ts";
import type { Locale } from "../ports/texts.ts";
import type { AgentConfig } from "./resolve-agents.ts";
import type { SandboxConfig } from "./sandbox-schema.ts";
import type { ConfigFile } from "./schema.ts";

export interface Config {
  /** The file it came from, absolute; null when the defaults are used. */
  readonly file: string | null;
  readonly server: {
    readonly host: string;
    /** 0 takes any free port. */
    readonly port: number;
    /** The address under which people reach the server, without a slash at its end. */
    readonly publicUrl?: string;
  };
  /** Folder of everything the bot keeps, absolute. */
  readonly dataDir: string;
  /** Language of conversations that have said nothing else. */
  readonly language: Locale;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly repositories: readonly RepositoryConfig[];
  readonly subscriptions: readonly SubscriptionConfig[];
  /** Where failed reviews of feeds are shown. */
  readonly operators?: ConversationRef;
  /** Git hosts that may tell of pushes, each with its secret. */
  readonly webhooks: readonly WebhookSource[];
  /** Keys with which Perforce triggers and Subversion hooks may tell of changes. */
  readonly triggers: readonly TriggerSource[];
  /** Reviewers beside the built-in one. */
  readonly agents: readonly AgentConfig[];
  readonly sandbox: SandboxConfig;
  /** Absent where a platform is not configured. */
  readonly channels: ConfigFile["channels"];
  /** The secrets of the channels, by the names of the variables that hold them. */
  readonly channelSecrets: Readonly<Record<string, string>>;
  /** Roles beside those that platforms assert. */
  readonly roles: readonly RoleGrant[];
  /** Reviews a minute that may be asked for. */
  readonly quotas: { readonly person: number; readonly conversation: number; readonly admin: number };
  /** Policy for zero problems where neither subscription nor repository has one. */
  readonly noProblems: NoProblemsPolicy;
  readonly limits: LimitsConfig;
  /** Folders whose templates and catalogues shadow the built-in ones, the strongest first, absolute. */
  readonly templateFolders: readonly string[];
  /** Every secret that was resolved, so that the log can mask it by value. */
  readonly secrets: readonly string[];
}

export interface RepositoryConfig {
  readonly alias: string;
  readonly vcs: VcsKind;
  readonly source:
    | { readonly kind: "path"; readonly path: string }
    | { readonly kind: "url"; readonly url: string; readonly credentials?: GitCredentialsConfig }
    | { readonly kind: "svn"; readonly url: string; readonly credentials?: SvnCredentialsConfig }
    | P4SourceConfig
    /** The generated repository that shows the product. */
    | { readonly kind: "demo"; readonly path: string };
  readonly defaultBranch?: string;
  /** Link templates, see cards/links.ts. */
  readonly web: {
    readonly commit?: string;
    readonly file?: string;
    readonly line?: string;
    readonly lines?: string;
  };
  readonly agent: string;
  /** Time between two polls where somebody is subscribed, ms; 0: it is never polled. */
  readonly pollMs: number;
  readonly noProblems?: NoProblemsPolicy;
  /** Conversations that may see it; absent: all. */
  readonly visibleTo?: readonly ConversationRef[];
}

export interface GitCredentialsConfig {
  readonly username?: string;
  readonly password?: string;
  readonly sshKeyFile?: string;
  readonly sshKnownHostsFile?: string;
}

/** As git's, in the words of the adapter. */
export type SvnCredentialsConfig = GitCredentialsConfig;

export interface P4SourceConfig {
  readonly kind: "p4";
  /** `host:1666` or `ssl:host:1666`. */
  readonly port: string;
  readonly user: string;
  readonly password?: string;
  /** `//depot/game/...`. */
  readonly depotPath: string;
  readonly charset?: string;
  /** Of an `ssl:` server's key. */
  readonly fingerprint?: string;
}

export interface SubscriptionConfig extends SubscriptionTerms {
  readonly conversation: ConversationRef;
  readonly repository: string;
  readonly filters: Filters;
  readonly language?: Locale;
}

export interface LimitsConfig {
  /** One attempt of a review, ms. */
  readonly reviewMs: number;
  /** Diff that is read, bytes. */
  readonly diffBytes: number;
  /** Largest file written into a run directory, bytes. */
  readonly fileBytes: number;
  /** All files of one side of a run directory, bytes. */
  readonly runBytes: number;
  /** Reviews that run at once. */
  readonly concurrency: number;
  /** Days that finished reviews and their messages are kept. */
  readonly keepDays: number;
  /** Days that run directories are kept. */
  readonly keepRunDays: number;
}
