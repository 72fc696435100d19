// Who may do what where; what a conversation or a person may not see or do is answered like what does not exist, and audited.
import type { Verb } from "../core/command.ts";
import type { ConversationRef } from "../core/delivery.ts";
import { isAtLeast, type Role, type RoleGrant, roleOf, type SeenPerson } from "../core/roles.ts";
import type { Clock } from "../ports/clock.ts";
import type { Visibility } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

export interface AuthorisePorts {
  readonly visibility: Visibility;
  /** Roles from the configuration; a platform may assert more. */
  readonly grants: readonly RoleGrant[];
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
}

/** The role that each verb needs; a review of one's own may be cancelled and done again by any member. */
const neededRoles: Readonly<Record<Verb, Role>> = {
  review: "member",
  help: "member",
  repos: "member",
  status: "member",
  why: "member",
  explain: "member",
  findings: "member",
  subscriptions: "member",
  digest: "member",
  link: "member",
  dashboard: "member",
  cancel: "maintainer",
  rerun: "maintainer",
  subscribe: "maintainer",
  unsubscribe: "maintainer",
  mute: "maintainer",
  unmute: "maintainer",
  dismiss: "maintainer",
  reopen: "maintainer",
};

export interface Authorise {
  /** Aliases that the conversation may see, in the configuration's order. */
  visible(conversation: ConversationRef): readonly string[];
  roleOf(seen: SeenPerson): Role;
  /** @param isOwn whether what it is done to is the person's own. */
  may(role: Role, verb: Verb, isOwn?: boolean): boolean;
  /** Writes a refusal into the audit trail. */
  refused(conversation: ConversationRef, person: string, action: string, object: string): Promise<void>;
  /** Writes what somebody did into the audit trail. */
  done(conversation: ConversationRef, person: string, action: string, object: string): Promise<void>;
}

export function createAuthorise({ visibility, grants, store, clock }: AuthorisePorts): Authorise {
  const audit = (outcome: string): Authorise["refused"] => {
    return (conversation, person, action, object) =>
      store.audit({
        actor: `${conversation.channel}:${conversation.workspace}:${person}`,
        action,
        object: object.slice(0, 200),
        outcome,
        now: clock.now(),
      });
  };
  return {
    visible: (conversation) => visibility.repositoriesFor(conversation),
    roleOf: (seen) => roleOf(seen, grants),
    may: (role, verb, isOwn = false) => isOwn || isAtLeast(role, neededRoles[verb]),
    refused: audit("refused"),
    done: audit("done"),
  };
}
