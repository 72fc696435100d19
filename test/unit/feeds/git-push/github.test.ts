// GitHub's webhooks: what a push is reduced to, in JSON and as a form, and what is no push.
import { describe, expect, it } from "vitest";
import { A, B, github, githubPush, hex, post, receiver, source, ZERO } from "../pushes.ts";

const accepted = { status: 202, body: { accepted: true, reviewId: expect.stringMatching(/^rv_/) } };

describe("a push", () => {
  it("is its repository, ref and ids, and nothing else of the payload", async () => {
    const { post: send, pushes } = receiver(source("github"));
    expect(await send(github())).toEqual(accepted);
    expect(pushes).toEqual([
      {
        repository: "game",
        ref: "refs/heads/main",
        before: A,
        head: B,
        source: "github",
        deliveryId: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      },
    ]);
  });

  it.each([
    ["a form, signed as it arrives", (body: string) => `payload=${encodeURIComponent(body)}`],
    ["a form with plus signs for spaces", (body: string) => new URLSearchParams({ payload: body }).toString()],
  ])("comes as %s", async (_, encode) => {
    const { post: send, pushes } = receiver(source("github"));
    const body = encode(JSON.stringify(githubPush()));
    const request = post({
      provider: "github",
      body,
      mediaType: "application/x-www-form-urlencoded",
      headers: { "x-github-event": "push", "x-hub-signature-256": `sha256=${hex(body)}` },
    });
    expect(await send(request)).toEqual(accepted);
    expect(pushes).toMatchObject([{ head: B }]);
  });

  it.each<[string, { readonly ref?: string; readonly [name: string]: unknown }]>([
    ["a tag", { ref: "refs/tags/v1.0", before: ZERO, created: true, base_ref: "refs/heads/main" }],
    ["a branch that is named like an id", { ref: `refs/heads/${A}` }],
    ["a force push without commits", { forced: true, commits: [] }],
    ["a branch with odd letters", { ref: "refs/heads/-дом/%2e\u202e<x>" }],
  ])("of %s keeps its full ref", async (_, more) => {
    const { post: send, pushes } = receiver(source("github"));
    expect(await send(github(githubPush(more)))).toEqual(accepted);
    expect(pushes).toMatchObject([{ ref: more.ref ?? "refs/heads/main", head: B }]);
  });

  it.each([40, 64])("E1: of a deletion has a head of %d zeros, and no review", async (digits) => {
    const { post: send, pushes } = receiver(source("github"));
    const zeros = "0".repeat(digits);
    const payload = githubPush({ before: "a".repeat(digits), after: zeros, deleted: true, commits: [] });
    expect(await send(github(payload))).toEqual({ status: 202, body: { accepted: true, reason: "deleted" } });
    expect(pushes).toMatchObject([{ head: zeros }]);
  });

  it.each([40, 64])("E1: of a creation has no before where the host writes %d zeros", async (digits) => {
    const { post: send, pushes } = receiver(source("github"));
    const payload = githubPush({ before: "0".repeat(digits), after: "b".repeat(digits), created: true });
    expect(await send(github(payload))).toEqual(accepted);
    expect(pushes[0]).not.toHaveProperty("before");
  });

  it("without a delivery id has one made of its content, the same when it is repeated", async () => {
    const { post: send, pushes } = receiver(source("github"));
    for (const message of ["one", "two"]) {
      await send(github(githubPush({ pusher: { name: message } }), { "x-github-delivery": "" }));
    }
    const [first, second] = pushes.map(({ deliveryId }) => deliveryId);
    expect(first).toMatch(/^content:[0-9a-f]{64}$/);
    expect(second).toBe(first);
  });
});

describe("what is no push", () => {
  it.each([
    ["a repository's ping", { zen: "Design for failure.", hook_id: 1, repository: githubPush()["repository"] }],
    ["an organisation's ping", { zen: "Design for failure.", hook_id: 1, organization: { login: "team" } }],
  ])("%s is answered and accepts nothing", async (_, payload) => {
    const { post: send, pushes } = receiver(source("github"));
    const answer = await send(github(payload, { "x-github-event": "ping" }));
    expect(answer).toEqual({ status: 202, body: { accepted: true, reason: "ping" } });
    expect(pushes).toEqual([]);
  });

  it.each(["create", "delete", "issues", "", "Push"])("the event %j is left alone", async (event) => {
    const { post: send, pushes } = receiver(source("github"));
    const answer = await send(github(githubPush(), { "x-github-event": event }));
    expect(answer).toEqual({ status: 202, body: { accepted: true, reason: "not_a_push" } });
    expect(pushes).toEqual([]);
  });

  it.each([
    ["no ref", { ref: undefined }],
    ["a short ref", { ref: "main" }],
    ["a ref with a line break", { ref: "refs/heads/a\nb" }],
    ["a ref with a colour", { ref: "refs/heads/\u001b[31m" }],
    ["a short id", { after: "b".repeat(39) }],
    ["an id that is an option", { after: "--output=/tmp/x" }],
    ["an id in capitals", { after: "B".repeat(40) }],
    ["no repository", { repository: null }],
    ["a list for a repository", { repository: [] }],
  ])("a push with %s is refused", async (_, more) => {
    const { post: send, pushes } = receiver(source("github"));
    expect(await send(github(githubPush(more)))).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request" } },
    });
    expect(pushes).toEqual([]);
  });
});
