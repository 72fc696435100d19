// Accepts every push of one request, and answers once all of them are durable.
import { createHash } from "node:crypto";
import { plainJson } from "../../channels/kit/answers.ts";
import type { PlainAnswer } from "../../channels/kit/plain.ts";
import type { AcceptPush, Push, PushAnswer } from "../app/accept-push.ts";
import type { Logger } from "../ports/logger.ts";

export interface IncomingPush extends Omit<Push, "deliveryId"> {
  /** The sender's name of the whole request; null where it gave none. */
  readonly delivery: string | null;
}

export interface AcceptAllPorts {
  readonly acceptPush: AcceptPush;
  readonly logger: Logger;
}

/** Rejects with the first fault; what was accepted beside it is known when the sender tries again. */
export async function acceptAll(
  pushes: readonly IncomingPush[],
  { acceptPush, logger }: AcceptAllPorts,
): Promise<PlainAnswer> {
  const answers = await Promise.all(
    pushes.map(async ({ delivery, ...push }) => {
      const answer = await acceptPush({ ...push, deliveryId: deliveryIdOf({ delivery, ...push }, pushes.length > 1) });
      const { source, repository, ref, head } = push;
      logger.info("push.received", { source, repository, ref, head, delivery, ...answer });
      return answer;
    }),
  );
  return accepted(answers);
}

/** The answer to whatever was understood; `reviewId` is absent when there is nothing to review. */
export function accepted(answers: readonly PushAnswer[], reason = reasonOf(answers)): PlainAnswer {
  const reviews = [...new Set(answers.flatMap(({ reviewId }) => reviewId ?? []))];
  return plainJson(202, {
    accepted: true,
    ...(reviews[0] === undefined ? {} : { reviewId: reviews[0] }),
    ...(reviews.length > 1 ? { reviewIds: reviews } : {}),
    ...(reviews.length === 0 && reason !== undefined ? { reason } : {}),
  });
}

function reasonOf([first]: readonly PushAnswer[]): string | undefined {
  return first === undefined ? "nothing_pushed" : (first.reason ?? first.outcome);
}

/**
 * One request may move several refs, each a delivery of its own. Without a name from the sender the content is the name:
 * a time would make every repetition a new delivery.
 */
function deliveryIdOf({ delivery, repository, ref, before, head }: IncomingPush, isOneOfMany: boolean): string {
  if (delivery !== null) return isOneOfMany ? `${delivery} ${repository} ${ref}` : delivery;
  const content = JSON.stringify([repository, ref, before ?? null, head]);
  return `content:${createHash("sha256").update(content).digest("hex")}`;
}
