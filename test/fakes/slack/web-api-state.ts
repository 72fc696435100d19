// What the fake Slack remembers: teams with their people, conversations, messages, files and installed apps.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../src/ports/clock.ts";

export interface FakeUser {
  readonly id: string;
  readonly name: string;
  readonly realName?: string;
  readonly locale?: string;
  readonly timeZone?: string;
  readonly email?: string;
  readonly isBot?: boolean;
  readonly isGuest?: boolean;
  readonly isAdmin?: boolean;
}

export interface FakeMessage {
  readonly ts: string;
  readonly thread?: string;
  readonly user?: string;
  readonly botId?: string;
  text: string;
  blocks: readonly unknown[];
  metadata?: { readonly event_type: string; readonly event_payload: Readonly<Record<string, unknown>> };
  readonly files?: readonly FakeFile[];
  /** The only person who sees it; it is in no history. */
  readonly onlyFor?: string;
  readonly reactions: Map<string, Set<string>>;
  edits: number;
  /** Deleted, but replies hang on it. */
  isTombstone: boolean;
}

export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly altText?: string;
  bytes?: Buffer;
  title?: string;
  isShared: boolean;
}

export interface FakeConversation {
  readonly id: string;
  readonly name?: string;
  readonly kind: "public" | "private" | "im" | "mpim";
  readonly members: Set<string>;
  isArchived: boolean;
  readonly messages: FakeMessage[];
}

export interface FakeInstallation {
  token: string;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly scopes: Set<string>;
  /** The error that the token gets since it was revoked. */
  refusal?: string;
}

export interface FakeView {
  readonly id: string;
  readonly view: Readonly<Record<string, unknown>>;
  readonly hash: string;
  readonly user?: string;
}

export interface FakeTeam {
  readonly id: string;
  readonly name: string;
  readonly users: Map<string, FakeUser>;
  readonly conversations: Map<string, FakeConversation>;
  readonly usergroups: Map<string, readonly string[]>;
  readonly files: Map<string, FakeFile>;
  readonly views: Map<string, FakeView>;
  /** The App Home of each person. */
  readonly homes: Map<string, FakeView>;
  readonly installations: FakeInstallation[];
}

export interface FakeTrigger {
  readonly team: string;
  readonly user: string;
  readonly expiresAt: number;
  isUsed: boolean;
}

export interface FakeResponseUrl {
  readonly team: string;
  readonly conversation: string;
  readonly user: string;
  /** The message whose button was pressed. */
  readonly message?: string;
  readonly expiresAt: number;
  posts: number;
}

export interface SlackState {
  readonly teams: Map<string, FakeTeam>;
  readonly triggers: Map<string, FakeTrigger>;
  readonly responseUrls: Map<string, FakeResponseUrl>;
  /** Unique and rising, by the clock. */
  nextTs(): string;
  nextId(prefix: string): string;
}

export const allScopes = [
  "commands",
  "chat:write",
  "chat:write.public",
  "app_mentions:read",
  "channels:read",
  "groups:read",
  "channels:history",
  "groups:history",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "reactions:write",
  "files:write",
  "files:read",
  "users:read",
  "users:read.email",
  "usergroups:read",
] as const;

export function createSlackState(clock: Clock): SlackState {
  let lastTs = 0n;
  let made = 0;
  return {
    teams: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    nextTs() {
      const now = BigInt(Math.round(clock.now() * 1_000));
      lastTs = now > lastTs ? now : lastTs + 1n;
      const digits = String(lastTs).padStart(16, "0");
      return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
    },
    nextId(prefix) {
      made += 1;
      return `${prefix}${String(made).padStart(4, "0")}${randomBytes(3).toString("hex").toUpperCase()}`;
    },
  };
}

/** A team `T0001` with a public, a private and a foreign conversation, two people, a guest and an installed bot. */
export function seedTeam(state: SlackState, id = "T0001"): FakeTeam {
  const bot: FakeInstallation = {
    token: `xoxb-${id}-0001-abcdefabcdef`,
    appId: "A0001",
    botId: `B${id.slice(1)}`,
    botUserId: `U${id.slice(1)}BOT`,
    scopes: new Set(allScopes),
  };
  const people: readonly FakeUser[] = [
    { id: "U0001", name: "linh", realName: "Linh Trần", locale: "vi-VN", timeZone: "Asia/Ho_Chi_Minh", isAdmin: true },
    { id: "U0002", name: "mara", realName: "Mara Engel", locale: "en-US", email: "mara@example.com" },
    { id: "U0003", name: "guest", isGuest: true },
    { id: bot.botUserId, name: "reviewbot", isBot: true },
  ];
  const inside = [bot.botUserId, "U0001", "U0002"];
  const conversations: readonly FakeConversation[] = [
    conversation("C0001", "reviews", "public", inside),
    conversation("C0002", "random", "public", ["U0001", "U0002"]),
    conversation("G0001", "secret", "private", inside),
    conversation("G0002", "closed", "private", ["U0001"]),
    conversation("C0009", "old", "public", inside, true),
  ];
  const team: FakeTeam = {
    id,
    name: "Example",
    users: new Map(people.map((user) => [user.id, user])),
    conversations: new Map(conversations.map((one) => [one.id, one])),
    usergroups: new Map([
      ["S0001", ["U0001", "U0002"]],
      ["S0002", ["U0001"]],
    ]),
    files: new Map(),
    views: new Map(),
    homes: new Map(),
    installations: [bot],
  };
  state.teams.set(id, team);
  return team;
}

function conversation(
  id: string,
  name: string,
  kind: FakeConversation["kind"],
  members: readonly string[],
  isArchived = false,
): FakeConversation {
  return { id, name, kind, members: new Set(members), isArchived, messages: [] };
}
