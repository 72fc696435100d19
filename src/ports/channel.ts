// A chat platform as the core sees it: it carries, the core decides. Every member is required; what capabilities deny is never called.
import type { Attachment, CardLimits, Page } from "../core/card.ts";
import type { ConversationRef, MessageRef, PersonRef, Target } from "../core/delivery.ts";
import type { Role } from "../core/roles.ts";

export interface ChannelCapabilities {
  readonly thread: "native" | "reply" | "none";
  readonly edit: boolean;
  readonly ephemeral: boolean;
  readonly reactions: boolean;
  readonly files: boolean;
  readonly forms: boolean;
  /** Whether `find` can tell that a message is absent. */
  readonly find: boolean;
  readonly limits: CardLimits;
  /** What the platform allows one app, all conversations together; absent: nothing is known beforehand. */
  readonly rate?: Rate;
}

export interface Rate {
  /** Calls a second, > 0. */
  readonly perSecond: number;
  /** Calls that may be made at once after a quiet time, ≥ 1. */
  readonly burst: number;
}

export type ReactionKind = "seen" | "working" | "clean" | "failed";

/** What a person sent; the text is without the bot's name or the command's slash. */
export interface InboundCommand {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  /** The platform's id of the message or interaction; the same event twice has the same id. */
  readonly eventId: string;
  readonly text: string;
  readonly thread?: string;
  /** BCP 47 tag the person's client asked for, if any. */
  readonly locale?: string;
  /** Roles the platform itself asserts (the person on loopback is an `admin`). */
  readonly roles: readonly Role[];
  /** Ids of the platform's groups and roles that the person has, for roles that the configuration gives to them. */
  readonly groups?: readonly string[];
}

export interface InboundAction {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly eventId: string;
  readonly token: string;
  readonly message: MessageRef;
  readonly values: Readonly<Record<string, string>>;
  readonly roles: InboundCommand["roles"];
  readonly groups?: readonly string[];
}

export type InboundLifecycle = ConversationEvent | WorkspaceEvent;

/** Something happened to a conversation: after `left` and `archived` nothing is sent there until it is `joined` or `unarchived`. */
export interface ConversationEvent {
  readonly kind: "joined" | "left" | "archived" | "unarchived" | "renamed";
  readonly conversation: ConversationRef;
  readonly name?: string;
}

/** The bot was removed from a whole workspace, or came back to it. */
export interface WorkspaceEvent {
  readonly kind: "uninstalled" | "installed";
  readonly channel: string;
  readonly workspace: string;
}

/** A person opens the page that the platform gives the bot for each person, where it has one. */
export interface InboundHome {
  /** The direct conversation with the bot. */
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly locale?: string;
  readonly roles: InboundCommand["roles"];
  readonly groups?: readonly string[];
  /** By which name people know a conversation; null where the channel cannot tell. */
  readonly nameOf?: (conversation: ConversationRef) => Promise<string | null>;
}

/** What the core answers to a command; null where silence is right. */
export interface CommandReply {
  /** What to show at once; null when the core has already posted its answer through `send` (a review's progress message). */
  readonly page: Page | null;
  readonly visibility: "asker" | "everyone";
  readonly reviewId?: string;
}

export interface Inbox {
  /** Answers within the platform's three seconds: everything longer happens in the background. */
  command(inbound: InboundCommand): Promise<CommandReply | null>;
  action(inbound: InboundAction): Promise<void>;
  suggest(inbound: InboundCommand): Promise<readonly string[]>;
  /** What concerns one person: their subscriptions and what is open there. */
  home(inbound: InboundHome): Promise<Page>;
  lifecycle(inbound: InboundLifecycle): Promise<void>;
}

export interface ChannelHealth {
  readonly state: "up" | "down" | "starting";
  readonly detail?: string;
}

export interface ChannelForm {
  readonly title: string;
  readonly token: string;
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly multiline: boolean;
    readonly required: boolean;
  }[];
}

export interface Channel {
  readonly name: string;
  readonly capabilities: ChannelCapabilities;
  /** Path patterns of the HTTP server whose requests go to `webhook`. */
  readonly routes: readonly string[];
  start(inbox: Inbox): Promise<void>;
  stop(): Promise<void>;
  health(): ChannelHealth;
  webhook(request: Request): Promise<Response>;
  /** @param key idempotency key: the same key twice posts once where the platform allows it. Throws ChannelError. */
  send(target: Target, page: Page, key: string): Promise<MessageRef>;
  edit(ref: MessageRef, page: Page): Promise<void>;
  remove(ref: MessageRef): Promise<void>;
  attach(target: Target, file: Attachment, key: string): Promise<MessageRef>;
  react(ref: MessageRef, kind: ReactionKind): Promise<void>;
  permalink(ref: MessageRef): Promise<string | null>;
  ask(trigger: InboundAction, form: ChannelForm): Promise<void>;
  /** Looks for a message sent with `key` at or after `since` (ms since the epoch). */
  find(target: Target, key: string, since: number): Promise<MessageRef | "absent" | "unknown">;
}

/** What a failed call means for the sender. */
export type ChannelFault =
  /** Never reached the platform, or it said so: send again. */
  | "not_sent"
  /** Perhaps done: look before sending again. */
  | "uncertain"
  /** Try again no sooner than `retryAfterMs`. */
  | "rate_limited"
  /** The page is over a limit: refit once at half the limits. */
  | "too_large"
  /** The message or thread to edit or reply to is gone. */
  | "gone"
  /** The conversation may not be written to: archived, removed, forbidden. */
  | "forbidden"
  /** The credentials are refused: an operator must act. */
  | "auth"
  /** Will never work. */
  | "rejected";

export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly fault: ChannelFault;
  readonly retryAfterMs: number | undefined;

  constructor(fault: ChannelFault, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs;
  }
}
