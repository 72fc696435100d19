// What every answer to a command is made from: who asked where, what they may see, and in which language.
import type { Card } from "../core/card.ts";
import type { Role } from "../core/roles.ts";
import type { CommandReply, InboundCommand } from "../ports/channel.ts";

export interface CommandContext {
  readonly inbound: InboundCommand;
  /** Aliases that this conversation may see. */
  readonly visible: readonly string[];
  readonly locale: string;
  readonly role: Role;
}

/** Told to the asker alone. */
export function privately(card: Card): CommandReply {
  return { page: { card }, visibility: "asker" };
}

/** Told to the whole conversation, because it changes what all of it hears. */
export function publicly(card: Card): CommandReply {
  return { page: { card }, visibility: "everyone" };
}

/** The name by which people know who asked. */
export function nameOf({ inbound }: CommandContext): string {
  return inbound.person.name ?? inbound.person.person;
}
