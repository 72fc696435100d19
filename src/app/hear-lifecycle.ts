// Hears what happens to conversations and workspaces, so that nothing is sent where nobody can be spoken to.
import type { InboundLifecycle } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";

export interface HearLifecyclePorts {
  readonly store: Pick<
    Store,
    "seeConversation" | "pauseConversation" | "pauseWorkspace" | "resumeConversation" | "resumeWorkspace"
  >;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type HearLifecycle = (event: InboundLifecycle) => Promise<void>;

export function createHearLifecycle({ store, clock, logger }: HearLifecyclePorts): HearLifecycle {
  return async (event) => {
    const now = clock.now();
    if ("workspace" in event) {
      const { kind, channel, workspace } = event;
      const conversations =
        kind === "uninstalled"
          ? await store.pauseWorkspace({ channel, workspace, reason: "uninstalled", now })
          : await store.resumeWorkspace(channel, workspace, "uninstalled");
      logger.info(`channel.${kind}`, { channel, workspace, conversations });
      return;
    }
    const { kind, conversation, name } = event;
    await store.seeConversation(conversation, name === undefined ? {} : { name }, now);
    if (kind === "left" || kind === "archived") {
      await store.pauseConversation({ conversation, reason: kind, notices: [], now });
    } else if (kind !== "renamed") {
      await store.resumeConversation(conversation);
    }
    logger.info(`conversation.${kind}`, { ...conversation });
  };
}
