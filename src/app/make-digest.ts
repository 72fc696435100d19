// Makes the card of a digest: counts the window and the one before it, and links the gravest open findings to their threads.
import { composeDigest, type DigestSection } from "../cards/compose-digest.ts";
import type { Card } from "../core/card.ts";
import type { ConversationRef, MessageRef } from "../core/delivery.ts";
import type { Store } from "../ports/store.ts";
import type { Texts } from "../ports/texts.ts";

export interface MakeDigestPorts {
  readonly store: Pick<Store, "digestNumbers" | "findings" | "deliveredFindings">;
  readonly texts: Texts;
  /** The address of a message, where its channel has one. */
  readonly permalink: (ref: MessageRef) => Promise<string | null>;
}

export interface DigestRequest {
  /** Absent on the command line, where nobody was told of anything. */
  readonly conversation?: ConversationRef;
  /** At least one. */
  readonly repositories: readonly string[];
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly locale: string;
  /** IANA name. */
  readonly timeZone: string;
}

export type MakeDigest = (
  request: DigestRequest,
) => Promise<{ readonly card: Card; readonly sections: readonly DigestSection[] }>;

/** Findings that a section names. */
const TOP = 5;

export function createMakeDigest({ store, texts, permalink }: MakeDigestPorts): MakeDigest {
  return async (request) => {
    const { conversation, from, to, locale, timeZone } = request;
    const sections: DigestSection[] = [];
    for (const repository of request.repositories) {
      const about = { repository, ...(conversation === undefined ? {} : { conversation }) };
      const { findings } = await store.findings({ repository, state: "open", limit: TOP });
      const urls = await threadsOf(
        conversation,
        repository,
        findings.map(({ fingerprint }) => fingerprint),
      );
      sections.push({
        repository,
        numbers: await store.digestNumbers({ ...about, from, to }),
        before: await store.digestNumbers({ ...about, from: from - (to - from), to: from }),
        top: findings.map((finding) => ({ finding, url: urls.get(finding.fingerprint) ?? null })),
      });
    }
    const channel = conversation === undefined ? {} : { channel: conversation.channel };
    return { card: composeDigest({ texts, locale, ...channel, sections, from, to, timeZone }), sections };
  };

  async function threadsOf(
    conversation: ConversationRef | undefined,
    repository: string,
    fingerprints: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const urls = new Map<string, string>();
    if (conversation === undefined || fingerprints.length === 0) return urls;
    for (const { fingerprint, ref } of await store.deliveredFindings({ conversation, repository, fingerprints })) {
      const url = await permalink(ref);
      if (url !== null) urls.set(fingerprint, url);
    }
    return urls;
  }
}
