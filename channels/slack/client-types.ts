// What the Slack client offers to the rest of the channel: the calls of the channel port, and those that only Slack has.
import type { View } from "@slack/types";
import type { Attachment, Page } from "../../src/core/card.ts";
import type { MessageRef, PersonRef, Target } from "../../src/core/delivery.ts";
import type { ReactionKind } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";

/** Who the bot is in one workspace. */
export interface SlackBot {
  /** Bot token, `xoxb-…`. */
  readonly token: string;
  /** `B…`: the author of the bot's messages. */
  readonly botId: string;
  /** `U…`: what people mention. */
  readonly botUserId: string;
}

export interface SlackClientOptions {
  /** The bot of a workspace (team id `T…`); throws ChannelError `auth` where it is not installed. Asked before every call. */
  readonly token: (workspace: string) => Promise<SlackBot>;
  /** Base address of the Web API. Default: Slack's own. */
  readonly apiUrl?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** Slack refused the credentials of a workspace with this code (`token_revoked`, `invalid_auth`, …). */
  readonly refused?: (workspace: string, code: string) => void;
  /** Where an administrator installs the app anew, for the remedy of a missing scope. */
  readonly installUrl?: string;
  /** How long a call may take, ms. Default 15 s. */
  readonly timeoutMs?: number;
}

export interface SlackPerson {
  readonly id: string;
  readonly name: string;
  /** BCP 47, as the person's client is set. */
  readonly locale?: string;
  readonly timeZone?: string;
  readonly isBot: boolean;
  /** A guest of the workspace: single-channel or multi-channel. */
  readonly isGuest: boolean;
  /** An admin or owner of the workspace. */
  readonly isAdmin: boolean;
}

export interface SlackConversation {
  readonly id: string;
  readonly name?: string;
  readonly kind: "public" | "private" | "im" | "mpim";
  readonly isArchived: boolean;
  readonly isMember: boolean;
}

export interface SlackIdentity {
  readonly workspace: string;
  readonly workspaceName: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly enterprise?: string;
  /** The scopes that the token was given, as Slack's answer names them; empty where it did not. */
  readonly scopes: readonly string[];
}

export interface SlackView {
  readonly id: string;
  readonly hash?: string;
}

/** Every call throws ChannelError and nothing else. */
export interface SlackClient {
  /** A target whose conversation is a person (`U…`, `W…`) is a direct message; the ref then names the `D…` conversation. */
  send(target: Target, page: Page, key: string): Promise<MessageRef>;
  /** An ephemeral message cannot be edited on Slack: it is `gone`. */
  edit(ref: MessageRef, page: Page): Promise<void>;
  remove(ref: MessageRef): Promise<void>;
  /** Slack tells no message of an uploaded file: the ref then holds the file's id (`F…`), which `remove` and `permalink` take. */
  attach(target: Target, file: Attachment, key: string): Promise<MessageRef>;
  react(ref: MessageRef, kind: ReactionKind): Promise<void>;
  permalink(ref: MessageRef): Promise<string | null>;
  find(target: Target, key: string, since: number): Promise<MessageRef | "absent" | "unknown">;

  /** To one person in a conversation; where that is impossible (the bot or the person is not in it), as a direct message. */
  postEphemeral(target: Target & { readonly onlyFor: PersonRef }, page: Page): Promise<MessageRef>;
  /**
   * Answers through a `response_url`: at most five times within 30 minutes, after which Slack refuses (`rejected`).
   * `replace` puts the page in the place of the message whose button was pressed; null deletes that message.
   */
  respond(
    responseUrl: string,
    page: Page | null,
    how: { readonly visibility: "asker" | "everyone"; readonly replace?: boolean },
  ): Promise<void>;

  /** Within three seconds of the interaction that gave `triggerId`; later it is `rejected`. */
  openView(workspace: string, triggerId: string, view: View): Promise<SlackView>;
  /** @param given the view's id, and its hash where a newer version must not be overwritten. */
  updateView(workspace: string, given: SlackView, view: View): Promise<SlackView>;
  publishHome(workspace: string, person: string, view: View): Promise<void>;

  /** The id (`D…`) of the direct conversation with a person; remembered. */
  openDm(workspace: string, person: string): Promise<string>;
  /** null when there is no such person. Remembered for ten minutes. */
  usersInfo(workspace: string, person: string): Promise<SlackPerson | null>;
  /** null when there is no such conversation, or the bot may not see it. */
  conversationInfo(workspace: string, conversation: string): Promise<SlackConversation | null>;
  /** Ids (`S…`) of the user groups that a person is in; empty where the app may not read them. Remembered for five minutes. */
  usergroupsOf(workspace: string, person: string): Promise<readonly string[]>;
  /** Asks Slack who a token is. */
  authTest(token: string): Promise<SlackIdentity>;
}
