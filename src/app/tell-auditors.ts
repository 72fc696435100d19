// Tells conversations in audit mode what people decided about findings and their kinds: one line each.
import { dayOf } from "../cards/action-cards.ts";
import type { ConversationRef } from "../core/delivery.ts";
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

/** What somebody decided; `by` is the name by which people know who. */
export type Judgement =
  | { readonly kind: "dismissed"; readonly by: string; readonly reason: string }
  | { readonly kind: "reopened" | "acknowledged"; readonly by: string }
  | {
      readonly kind: "kind_muted";
      readonly by: string;
      readonly category: string;
      /** Where nothing of this kind is heard any more. */
      readonly conversation: ConversationRef;
      /** ms since the epoch. */
      readonly until: number;
    };

export type TellAuditors = (finding: StoredFinding, judgement: Judgement) => Promise<void>;

export function createTellAuditors({ store, subscriptions, clock, ids, wake }: TellAuditorsPorts): TellAuditors {
  return async (finding, judgement) => {
    const { repository } = finding;
    const notice = { key: `audit.${judgement.kind}`, params: paramsOf(finding, judgement) };
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

/** What the line says, by the names that its text gives it. */
function paramsOf({ repository, title, file, line }: StoredFinding, judgement: Judgement): Record<string, string> {
  const { kind, by } = judgement;
  if (kind === "kind_muted") {
    const { category, conversation, until } = judgement;
    const where = `${conversation.channel} ${conversation.conversation}`;
    return { repository, category, where, until: dayOf(until), by };
  }
  const place = line === undefined ? file : `${file}:${line}`;
  return { repository, place, title, by, ...(kind === "dismissed" ? { reason: judgement.reason } : {}) };
}
