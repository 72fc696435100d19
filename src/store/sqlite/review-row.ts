// A review as its row, and the way back to the domain's type.
import type { MessageRef } from "../../core/delivery.ts";
import type { ReviewId } from "../../core/ids.ts";
import type { Requester, Review, ReviewStatus } from "../../core/review.ts";
import { changeDocument, failureDocument, pathsDocument, readDocument, timingsDocument } from "./documents.ts";
import { corruptStore } from "./faults.ts";
import { messageRef, type RefColumns } from "./message-ref.ts";

export const reviewColumns = `r.id, r.repository, r.spec, r.agent, r.paths, r.locale, r.feed, r.channel, r.workspace,
  r.conversation, r.thread, r.person_channel, r.person_workspace, r.person, r.person_name, r.status, r.attempt,
  r.skip_reason, r.failure, r.timings, r.progress_channel, r.progress_workspace, r.progress_conversation,
  r.progress_thread, r.progress_message, r.answered_from, r.rerun_of, r.created_at, r.started_at, r.finished_at,
  c.document AS change`;

export const reviewJoins = "LEFT JOIN changes c ON c.review = r.seq";

export interface ReviewRow extends RefColumns<"progress"> {
  readonly id: ReviewId;
  readonly repository: string;
  readonly spec: string;
  readonly agent: string;
  readonly paths: string;
  readonly locale: string;
  readonly feed: string | null;
  readonly channel: string | null;
  readonly workspace: string | null;
  readonly conversation: string | null;
  readonly thread: string | null;
  readonly person_channel: string | null;
  readonly person_workspace: string | null;
  readonly person: string | null;
  readonly person_name: string | null;
  readonly status: ReviewStatus;
  readonly attempt: number;
  readonly skip_reason: string | null;
  readonly failure: string | null;
  readonly timings: string | null;
  readonly answered_from: ReviewId | null;
  readonly rerun_of: ReviewId | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly change: string | null;
}

export function reviewFrom(row: ReviewRow): Review {
  const progress: MessageRef | undefined = messageRef(row, "progress");
  return {
    id: row.id,
    repository: row.repository,
    spec: row.spec,
    agent: row.agent,
    paths: readDocument(pathsDocument, "reviews.paths", row.paths),
    locale: row.locale,
    requester: requesterFrom(row),
    status: row.status,
    attempt: row.attempt,
    ...(row.change === null ? {} : { change: readDocument(changeDocument, "changes.document", row.change) }),
    ...(row.skip_reason === null ? {} : { skipReason: row.skip_reason }),
    ...(row.failure === null ? {} : { failure: readDocument(failureDocument, "reviews.failure", row.failure) }),
    ...(row.timings === null ? {} : { timings: readDocument(timingsDocument, "reviews.timings", row.timings) }),
    ...(progress === undefined ? {} : { progress }),
    ...(row.answered_from === null ? {} : { answeredFrom: row.answered_from }),
    ...(row.rerun_of === null ? {} : { rerunOf: row.rerun_of }),
    createdAt: row.created_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
  };
}

function requesterFrom(row: ReviewRow): Requester {
  if (row.feed !== null) return { kind: "feed", feed: row.feed };
  const { channel, workspace, conversation, thread, person_channel, person_workspace, person, person_name } = row;
  if (channel === null || workspace === null || conversation === null) throw noRequester(row.id);
  if (person_channel === null || person_workspace === null || person === null) throw noRequester(row.id);
  return {
    kind: "person",
    conversation: { channel, workspace, conversation },
    person: {
      channel: person_channel,
      workspace: person_workspace,
      person,
      ...(person_name === null ? {} : { name: person_name }),
    },
    ...(thread === null ? {} : { thread }),
  };
}

function noRequester(id: ReviewId): Error {
  return corruptStore(`review ${id} has no requester`);
}
