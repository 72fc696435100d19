// What Slack knows of the person who speaks: language, user groups, and whether the workspace is theirs to run.
import type { PersonRef } from "../../src/core/delivery.ts";
import type { Role } from "../../src/core/roles.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackClient } from "./client-types.ts";

export interface PersonFacts {
  readonly person: PersonRef;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
  readonly locale?: string;
}

export interface PeopleOptions {
  readonly client: Pick<SlackClient, "usersInfo" | "usergroupsOf">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether owners and admins of a workspace are admins of the bot. */
  readonly workspaceAdmins: boolean;
}

/** How long an answer waits for what Slack knows of its asker, ms: the whole of it is due within three seconds. */
const WAIT_MS = 1_500;

/**
 * Never throws: of whom Slack tells nothing in time nothing is known, so that a failure can only take rights away. What comes
 * later is remembered by the client for the next time.
 * @param workspace the installation through which the person spoke.
 */
export type LookUpPerson = (person: PersonRef, workspace: string) => Promise<PersonFacts>;

export function createLookUpPerson({ client, clock, logger, workspaceAdmins }: PeopleOptions): LookUpPerson {
  return async (person, workspace) => {
    // Whoever comes from another organisation is a stranger: groups and admins of theirs are none of ours.
    const isOurs = person.workspace === workspace;
    const [known, groups] = await Promise.all([
      inTime(client.usersInfo(workspace, person.person), null, person),
      isOurs ? inTime(client.usergroupsOf(workspace, person.person), [], person) : [],
    ]);
    const name = person.name ?? known?.name;
    return {
      person: name === undefined ? person : { ...person, name },
      roles: workspaceAdmins && isOurs && known?.isAdmin === true ? ["admin"] : [],
      groups,
      ...(known?.locale === undefined ? {} : { locale: known.locale }),
    };
  };

  function inTime<T>(asking: Promise<T>, otherwise: T, { person }: PersonRef): Promise<T> {
    return new Promise((resolve) => {
      const cancel = clock.after(WAIT_MS, () => {
        logger.info("slack.person_unknown", { person, reason: "no answer in time" });
        resolve(otherwise);
      });
      asking.then(
        (answer) => {
          cancel();
          resolve(answer);
        },
        (thrown: unknown) => {
          cancel();
          logger.info("slack.person_unknown", { person, reason: thrown instanceof Error ? thrown.message : "unknown" });
          resolve(otherwise);
        },
      );
    });
  }
}
