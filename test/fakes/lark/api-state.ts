// What the fake of the platform holds: chats, messages, reactions and uploads, with the rules of how messages come to be.
import type { Clock } from "../../../src/ports/clock.ts";

export interface FakeChat {
  readonly id: string;
  readonly mode: "group" | "topic" | "p2p";
  /** The other side of a direct chat. */
  readonly person?: string;
  isBotMember: boolean;
  isDissolved: boolean;
}

export interface FakeMessage {
  readonly id: string;
  readonly chat: string;
  readonly from: "bot" | "person";
  readonly type: string;
  content: unknown;
  /** The root of the thread that it stands in. */
  readonly root?: string;
  threadId?: string;
  /** The only person who sees it. */
  readonly onlyFor?: string;
  readonly createdAt: number;
  editedAt?: number;
  edits: number;
  isRecalled: boolean;
  /** Emoji of the bot by the reaction's id. */
  readonly reactions: Map<string, string>;
}

export interface LarkState {
  readonly chats: Map<string, FakeChat>;
  readonly messages: Map<string, FakeMessage>;
  readonly uploads: Map<string, { readonly kind: "image" | "file"; readonly bytes: Uint8Array; readonly name: string }>;
  addChat(id: string, mode: FakeChat["mode"], person?: string): FakeChat;
  /** The direct chat of a person, made when there is none. */
  directChat(person: string): FakeChat;
  add(
    message: Pick<FakeMessage, "chat" | "from" | "type" | "content"> & Partial<Pick<FakeMessage, "root" | "onlyFor">>,
  ): FakeMessage;
  nextId(prefix: string): string;
}

export function createLarkState(clock: Clock): LarkState {
  const chats = new Map<string, FakeChat>();
  const messages = new Map<string, FakeMessage>();
  let made = 0;

  const state: LarkState = {
    chats,
    messages,
    uploads: new Map(),
    nextId(prefix) {
      made += 1;
      return `${prefix}${String(made).padStart(16, "0")}`;
    },
    addChat(id, mode, person) {
      const chat: FakeChat = {
        id,
        mode,
        ...(person === undefined ? {} : { person }),
        isBotMember: true,
        isDissolved: false,
      };
      chats.set(id, chat);
      return chat;
    },
    directChat(person) {
      const known = [...chats.values()].find((chat) => chat.mode === "p2p" && chat.person === person);
      return known ?? state.addChat(`oc_direct${person.replace(/\W|_/g, "")}`, "p2p", person);
    },
    add(message) {
      const root = message.root === undefined ? undefined : messages.get(message.root);
      if (root !== undefined) root.threadId ??= state.nextId("omt_");
      const stored: FakeMessage = {
        ...message,
        id: state.nextId("om_"),
        ...(root?.threadId === undefined ? {} : { threadId: root.threadId }),
        createdAt: clock.now(),
        edits: 0,
        isRecalled: false,
        reactions: new Map(),
      };
      messages.set(stored.id, stored);
      return stored;
    },
  };
  return state;
}
