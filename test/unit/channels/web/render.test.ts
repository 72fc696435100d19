// Messages and reviews leave as the Web API documents them.
import { describe, expect, it } from "vitest";
import { renderMessage, renderPage, renderReview, renderThreads } from "../../../../channels/web/render.ts";
import type { Review } from "../../../../src/core/review.ts";
import type { ChatMessage } from "../../../../src/ports/store.ts";
import { plainCard } from "../../../fakes/scripted-inbox.ts";

const at = Date.UTC(2024, 4, 17, 8, 30);

function message(changes: Partial<ChatMessage>): ChatMessage {
  return {
    id: "ms_1",
    conversation: "main",
    from: "bot",
    visibility: "everyone",
    text: "Hi",
    createdAt: at,
    ...changes,
  };
}

describe("messages", () => {
  it("have ISO times and only the fields that are there", () => {
    expect(renderMessage(message({}))).toEqual({
      id: "ms_1",
      from: "bot",
      visibility: "everyone",
      text: "Hi",
      createdAt: "2024-05-17T08:30:00.000Z",
    });
    expect(renderMessage(message({ editedAt: at + 1_000, card: '{"title":"Hi"}', thread: "ms_0" }))).toMatchObject({
      thread: "ms_0",
      card: { title: "Hi" },
      editedAt: "2024-05-17T08:30:01.000Z",
    });
  });

  it("stand in threads, and one whose root is gone stands by itself", () => {
    const threads = renderThreads([
      message({ id: "ms_1" }),
      message({ id: "ms_2", thread: "ms_1" }),
      message({ id: "ms_3" }),
      message({ id: "ms_4", thread: "ms_1" }),
      message({ id: "ms_5", thread: "ms_9" }),
    ]);
    expect(threads.map(({ id, replies }) => [id, replies.map((reply) => reply.id)])).toEqual([
      ["ms_1", ["ms_2", "ms_4"]],
      ["ms_3", []],
      ["ms_5", []],
    ]);
  });

  it("say which part of a card they are", () => {
    const rendered = renderPage({ card: plainCard("Report"), part: { number: 2, of: 3 } });
    expect(rendered.text).toBe("Report (2/3)");
    expect(JSON.parse(rendered.card)).toMatchObject({ title: "Report (2/3)" });
  });
});

describe("reviews", () => {
  const review: Review = {
    id: "rv_1",
    repository: "demo",
    spec: "HEAD",
    agent: "checks",
    paths: [],
    locale: "en",
    requester: { kind: "feed", feed: "poller" },
    status: "failed",
    attempt: 2,
    failure: { code: "unavailable", message: "Down.", remedy: "Wait.", reason: "x", params: { secret: "no" } },
    change: {
      repository: "demo",
      vcs: "git",
      head: {
        vcs: "git",
        canonical: "a".repeat(40),
        display: "aaaaaaaaaa",
        author: "Linh",
        authorEmail: "linh@example.org",
        time: at,
        message: "Subject\n\nBody",
        parents: [],
        flags: [],
      },
      base: "empty",
      baseReason: "empty_tree",
      ref: "refs/heads/main",
      isDefaultBranch: true,
      spec: "HEAD",
    },
    createdAt: at,
    finishedAt: at + 5,
  };

  it("say how they ended, without e-mail addresses and inner values", () => {
    const text = JSON.stringify(renderReview(review));
    const shown = JSON.parse(text) as Record<string, unknown>;
    expect(shown).toMatchObject({
      id: "rv_1",
      status: "failed",
      failure: { code: "unavailable", message: "Down.", remedy: "Wait." },
      change: { base: "empty", head: { display: "aaaaaaaaaa", subject: "Subject" } },
      createdAt: "2024-05-17T08:30:00.000Z",
      finishedAt: "2024-05-17T08:30:00.005Z",
    });
    expect(Object.keys(shown)).not.toContain("skipReason");
    expect(text).not.toContain("example.org");
    expect(text).not.toContain("secret");
  });
});
