// Who a person is to the bot: the roles, and which of them the configuration gives to whom, where.
import type { ConversationRef, PersonRef } from "./delivery.ts";

/** From the least to the most; each may do what the ones before it may. */
export const roles = ["member", "maintainer", "admin"] as const;
export type Role = (typeof roles)[number];

/** One role for some people of one workspace. */
export interface RoleGrant {
  readonly role: Role;
  readonly channel: string;
  readonly workspace: string;
  /** The platform's ids of people and of groups; with neither, everybody. */
  readonly people: readonly string[];
  readonly groups: readonly string[];
  /** The only conversations in which it holds; empty: all of them. */
  readonly conversations: readonly string[];
}

/** A person as a channel saw them. */
export interface SeenPerson {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  /** Ids of the platform's groups and roles that the person has. */
  readonly groups?: readonly string[];
  /** What the platform itself asserts. */
  readonly roles: readonly Role[];
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The highest role that the platform asserts or a grant gives; everybody is a member. */
export function roleOf(seen: SeenPerson, grants: readonly RoleGrant[]): Role {
  const given = grants.filter((grant) => holds(grant, seen)).map(({ role }) => role);
  return [...seen.roles, ...given].reduce<Role>((best, role) => (isAtLeast(role, best) ? role : best), "member");
}

function holds(grant: RoleGrant, { conversation, person, groups = [] }: SeenPerson): boolean {
  if (grant.channel !== person.channel || grant.workspace !== person.workspace) return false;
  const { conversations, people } = grant;
  const isHere =
    conversation.channel === grant.channel &&
    conversation.workspace === grant.workspace &&
    conversations.includes(conversation.conversation);
  if (conversations.length > 0 && !isHere) return false;
  if (people.length === 0 && grant.groups.length === 0) return true;
  return people.includes(person.person) || groups.some((group) => grant.groups.includes(group));
}
