// Tells conversations in audit mode what people decided about findings: one line each.
import type { StoredFinding } from "../core/finding.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

export interface TellAuditorsPorts {
  readonly store: Pick<Store, "owe">;
  readonly subscriptions: Pick<Subscriptions, "of">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Tells the senders that something is owed. */
  readonly wake: () => void;
}

export interface Judgement {
  readonly kind: "dismissed" | "reopened";
  readonly by: string;
  /** Of a dismissal. */
  readonly reason?: string;
}

export type TellAuditors = (finding: StoredFinding, judgement: Judgement) => Promise<void>;

export function createTellAuditors({ store, subscriptions, clock, ids, wake }: TellAuditorsPorts): TellAuditors {
  return async ({ repository, title, file, line }, { kind, by, reason = "" }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    const notice = { key: `audit.${kind}`, params: { repository, place, title, by, reason } };
    const auditors = (await subscriptions.of(repository)).filter(({ mode }) => mode === "audit");
    if (auditors.length === 0) return;
    await store.owe(
      auditors.map(({ conversation, locale }) => ({
        id: ids.next("dl"),
        kind: "audit",
        target: { conversation },
        locale,
        facts: { notice },
      })),
      clock.now(),
    );
    wake();
  };
}
