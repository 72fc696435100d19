// Publishes one reviewed change of a feed, as the workers do it, for tests of who hears of it.
import { createPublishReport } from "../../src/app/publish-report.ts";
import { createRestrain } from "../../src/app/restrain.ts";
import type { Change } from "../../src/core/change.ts";
import type { ReviewId } from "../../src/core/ids.ts";
import type { AssessedProblem } from "../../src/core/problem.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Subscriptions } from "../../src/ports/listeners.ts";
import type { Store } from "../../src/ports/store.ts";
import { change, claimed, fresh, request, timings } from "../contract/store-samples.ts";

export interface PublishedChange {
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly problems: readonly AssessedProblem[];
  readonly change?: Partial<Change>;
}

export async function publishChange(published: PublishedChange): Promise<ReviewId> {
  const { store, subscriptions, clock, problems } = published;
  const of = change({ files: [{ kind: "modify", path: "src/a.ts" }], fileCount: 1, ...published.change });
  const ids = { next: <P extends string>(prefix: P): `${P}_${string}` => `${prefix}_p${fresh()}`, token: fresh };
  const publish = createPublishReport({ store, subscriptions, restrain: createRestrain({ store, clock }), clock, ids });
  await store.acceptReview(request({ jobKey: `key-${fresh()}`, now: clock.now() }));
  const job = await claimed(store, clock.now());
  await store.startReview({ job: job.id, token: job.token, review: job.review.id, change: of, now: clock.now() });
  const report =
    problems.length > 0
      ? ({ outcome: "reported", problems, summaries: [] } as const)
      : ({ outcome: "skipped", reason: "lgtm", summaries: [] } as const);
  const files = [{ ...plainFile, path: "src/a.ts", rawPath: "src/a.ts" }];
  await publish(job, { kind: "report", change: of, files, report, isSettled: async () => false }, timings);
  return job.review.id;
}

const plainFile = {
  kind: "modify",
  isBinary: false,
  isSymlink: false,
  isSubmodule: false,
  isLfs: false,
  isGenerated: false,
} as const;
