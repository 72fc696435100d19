// Composes the answers to commands: what people may ask for, and what each verb does.
import { createAnswerDigest } from "./app/answer-digest.ts";
import { createAuthorise } from "./app/authorise.ts";
import type { ExplainChange } from "./app/explain-change.ts";
import { answerExplain } from "./app/explain-change.ts";
import { createExplainSilence } from "./app/explain-silence.ts";
import { createHandleCommand, type HandleCommand } from "./app/handle-command.ts";
import type { MakeDigest } from "./app/make-digest.ts";
import { createFindingCommands } from "./app/manage-findings.ts";
import { createSubscriptionCommands } from "./app/manage-subscriptions.ts";
import { createQuota } from "./app/quota.ts";
import { createReviewCommands } from "./app/review-commands.ts";
import type { ShowFinding } from "./app/show-finding.ts";
import type { ShowProgress } from "./app/show-progress.ts";
import type { TellAuditors } from "./app/tell-auditors.ts";
import { createCommandCards } from "./cards/command-cards.ts";
import type { CommandNames } from "./cards/command-names.ts";
import { composeNote } from "./cards/compose-note.ts";
import { createFindingCards } from "./cards/finding-cards.ts";
import { createSilenceCard } from "./cards/silence-cards.ts";
import { createSubscriptionCards } from "./cards/subscription-cards.ts";
import type { Reviewing } from "./compose-review.ts";
import type { Config } from "./config/config.ts";
import { globOfSvn, globsOfDepot } from "./config/depot-globs.ts";
import type { Channel } from "./ports/channel.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Visibility } from "./ports/listeners.ts";
import type { Store } from "./ports/store.ts";
import type { Texts } from "./ports/texts.ts";

/** How long a command waits for the VCS to name a revision, ms: the whole answer is due within three seconds. */
const RESOLVE_MS = 2_000;

export interface CommandsFoundation {
  readonly config: Config;
  /** How commands begin on the platform that is answered. */
  readonly names: CommandNames;
  readonly store: Store;
  readonly reviewing: Pick<Reviewing, "acceptChange" | "agents" | "subscriptions" | "vcs">;
  readonly visibility: Visibility;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly progress: ShowProgress;
  readonly explain: ExplainChange;
  /** Absent: digests are not told on demand. */
  readonly makeDigest?: MakeDigest;
  /** Absent: nobody keeps an audit. */
  readonly tellAuditors?: TellAuditors;
  /** Absent: findings' cards stay as they are. */
  readonly showFinding?: ShowFinding;
  readonly texts: Texts;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Tells the workers that there is a review to do. */
  readonly wakeReviews: () => void;
  /** Tells the senders that a lane may have become free. */
  readonly wakeDeliveries: () => void;
}

export function composeCommands(foundation: CommandsFoundation): HandleCommand {
  const {
    config,
    names,
    store,
    reviewing,
    visibility,
    channels,
    makeDigest,
    tellAuditors,
    showFinding,
    texts,
    clock,
    ids,
  } = foundation;
  const { subscriptions: directory, vcs } = reviewing;
  const authorise = createAuthorise({ visibility, grants: config.roles, store, clock });
  const cards = createCommandCards({ texts, names });
  return createHandleCommand({
    authorise,
    store,
    cards,
    reviews: createReviewCommands({
      acceptChange: reviewing.acceptChange,
      authorise,
      quota: createQuota(config.quotas, clock),
      progress: foundation.progress,
      store,
      cards,
      clock,
      repositories: config.repositories,
      agents: [...reviewing.agents.keys()],
      wake: foundation.wakeReviews,
    }),
    subscriptions: createSubscriptionCommands({
      store,
      directory,
      authorise,
      cards: createSubscriptionCards({ texts, names }),
      clock,
      ids,
      pathGlobs: configuredPathGlobs(config),
      wake: foundation.wakeDeliveries,
    }),
    findings: createFindingCommands({
      ...(tellAuditors === undefined ? {} : { tellAuditors }),
      ...(showFinding === undefined ? {} : { showFinding }),
      store,
      authorise,
      cards: createFindingCards({ texts, names }),
      permalink: async (ref) => (await channels.get(ref.channel)?.permalink(ref)) ?? null,
      clock,
    }),
    why: createExplainSilence({
      store,
      directory,
      card: createSilenceCard({ texts }),
      async resolveHead(repository, rev) {
        const signal = AbortSignal.timeout(RESOLVE_MS);
        const change = await vcs
          .get(repository)
          ?.resolve({ spec: rev }, { signal })
          .catch(() => null);
        return change?.head.canonical ?? null;
      },
    }),
    explain: answerExplain(foundation.explain),
    ...(makeDigest === undefined
      ? {}
      : {
          digest: createAnswerDigest({
            makeDigest,
            directory,
            nothingSubscribed: (locale) => composeNote({ texts, locale }, "digest.nothing_subscribed"),
            clock,
          }),
        }),
    localeOf: (conversation) => directory.localeOf(conversation),
    clock,
    repositories: config.repositories,
    defaultLocale: config.language,
  });
}

/** How commands begin on a channel, as its settings and its platform have it. */
export function commandNames({ channels }: Config, channel: string): CommandNames {
  if (channel === "discord") return { review: "/review", verbs: `/${channels.discord?.verbs_command ?? "aicr"}` };
  const command =
    channel === "slack" ? channels.slack?.command : channel === "lark" ? channels.lark?.command : undefined;
  return { review: `/${command ?? "review"}`, verbs: `/${command ?? "review"}` };
}

/** As in the configuration: people of Perforce and Subversion name paths from where their server starts. */
function configuredPathGlobs({ repositories }: Pick<Config, "repositories">) {
  return (repository: string, typed: string): readonly string[] | null => {
    const source = repositories.find(({ alias }) => alias === repository)?.source;
    if (source?.kind === "p4") return globsOfDepot(typed, source.depotPath);
    return source?.kind === "svn" ? [globOfSvn(typed)] : [typed];
  };
}
