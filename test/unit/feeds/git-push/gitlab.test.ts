// GitLab's webhooks: tokens and signing keys, pushes and tags of projects, groups and whole servers.
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { A, B, clock, post, receiver, SECRET, source, ZERO } from "../pushes.ts";

function push(more: Readonly<Record<string, unknown>> = {}) {
  return {
    object_kind: "push",
    event_name: "push",
    before: A,
    after: B,
    ref: "refs/heads/main",
    ref_protected: true,
    checkout_sha: B,
    user_id: 4,
    user_name: "Alice",
    user_username: "alice",
    project_id: 15,
    project: {
      id: 15,
      name: "Game",
      web_url: "https://git.example.com/team/game",
      git_ssh_url: "git@git.example.com:team/game.git",
      git_http_url: "https://git.example.com/team/game.git",
      namespace: "Team",
      path_with_namespace: "team/game",
      default_branch: "main",
    },
    commits: [{ id: B, message: "x", added: ["a"], modified: [], removed: [] }],
    total_commits_count: 40,
    ...more,
  };
}

function send(payload: unknown, headers: Readonly<Record<string, string>>, secret = SECRET) {
  const { post: deliver, pushes } = receiver(source("gitlab", { secret }));
  const body = JSON.stringify(payload);
  const given = { "x-gitlab-event": "Push Hook", ...headers };
  return deliver(post({ provider: "gitlab", body, headers: given })).then((answer) => ({ answer, pushes }));
}

const token = { "x-gitlab-token": SECRET };

describe("a token", () => {
  it("lets a push in, under the id that its repetitions share", async () => {
    const ids = { "idempotency-key": "f5e5f430-f57b-4e6e-9fac-d9128cd7232f", "x-gitlab-event-uuid": "other" };
    const { answer, pushes } = await send(push(), { ...token, ...ids });
    expect(answer).toMatchObject({ status: 202, body: { reviewId: expect.any(String) } });
    expect(pushes).toEqual([
      {
        repository: "game",
        ref: "refs/heads/main",
        before: A,
        head: B,
        source: "gitlab",
        deliveryId: ids["idempotency-key"],
      },
    ]);
  });

  it.each(["", "x", SECRET.slice(1), `${SECRET}x`, `${SECRET}, ${SECRET}`, SECRET.toLowerCase()])(
    "abuse 1: %j is refused",
    async (wrong) => {
      const { answer, pushes } = await send(push(), { "x-gitlab-token": wrong });
      expect([answer.status, pushes]).toEqual([401, []]);
    },
  );
});

describe("a signing key", () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const secret = `whsec_${key.toString("base64")}`;
  const now = Math.floor(clock.now() / 1000);

  function signed(time: number | string = now, body = JSON.stringify(push())) {
    const signature = createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64");
    return { "webhook-id": "msg_1", "webhook-timestamp": String(time), "webhook-signature": `v1,${signature}` };
  }

  it("lets a push in, also while keys are changed and beside a token", async () => {
    const headers = signed();
    const several = { ...headers, "webhook-signature": `v1,${"A".repeat(43)}= ${headers["webhook-signature"]}` };
    for (const given of [headers, several, { ...headers, "x-gitlab-token": "anything" }]) {
      const { answer, pushes } = await send(push(), given, secret);
      expect(answer.status).toBe(202);
      expect(pushes).toMatchObject([{ head: B, deliveryId: "msg_1" }]);
    }
  });

  it.each([
    ["late", signed(now - 301)],
    ["early", signed(now + 301)],
    ["without a time", { ...signed(), "webhook-timestamp": "" }],
    ["of another time", { ...signed(), "webhook-timestamp": String(now - 1) }],
    ["of another id", { ...signed(), "webhook-id": "msg_2" }],
    ["of another body", signed(now, "{}")],
    ["doubled", { ...signed(), "webhook-signature": `${signed()["webhook-signature"]}, v1,x` }],
    ["of another version", { ...signed(), "webhook-signature": signed()["webhook-signature"].replace("v1", "v2") }],
    ["the key itself as a token", { "x-gitlab-token": secret }],
  ])("abuse 1: refuses a signature %s", async (_, headers) => {
    const { answer, pushes } = await send(push(), headers, secret);
    expect([answer.status, pushes]).toEqual([401, []]);
  });

  it("refuses every signature with one bit off", async () => {
    const right = signed();
    await fc.assert(
      fc.asyncProperty(fc.nat(42), fc.nat(6), async (at, bit) => {
        const bytes = Buffer.from(right["webhook-signature"]);
        bytes[3 + at] = (bytes[3 + at] ?? 0) ^ (1 << bit);
        fc.pre(/^[\x21-\x7e]+$/.test(bytes.toString("latin1")));
        const { answer } = await send(push(), { ...right, "webhook-signature": bytes.toString("latin1") }, secret);
        expect(answer.status).toBe(401);
      }),
      { numRuns: 60 },
    );
  });
});

describe("events", () => {
  it.each([
    ["Tag Push Hook", push({ object_kind: "tag_push", ref: "refs/tags/v1", before: ZERO }), "refs/tags/v1"],
    ["System Hook", push(), "refs/heads/main"],
    ["System Hook", push({ object_kind: undefined }), "refs/heads/main"],
  ])("a %s is a push", async (event, payload, ref) => {
    const { answer, pushes } = await send(payload, { ...token, "x-gitlab-event": event });
    expect(answer.status).toBe(202);
    expect(pushes).toMatchObject([{ ref, head: B }]);
  });

  it.each([
    ["System Hook", { event_name: "project_create", path_with_namespace: "team/game" }],
    ["System Hook", { event_name: "repository_update", refs: ["refs/heads/main"] }],
    ["Issue Hook", { object_kind: "issue" }],
    ["", push()],
  ])("a %s of something else is left alone", async (event, payload) => {
    const { answer, pushes } = await send(payload, { ...token, "x-gitlab-event": event });
    expect(answer).toEqual({ status: 202, body: { accepted: true, reason: "not_a_push" } });
    expect(pushes).toEqual([]);
  });

  it("E1: a deletion, whose checkout_sha is null, has no review", async () => {
    const { answer, pushes } = await send(push({ after: ZERO, checkout_sha: null, commits: [] }), token);
    expect(answer.body).toEqual({ accepted: true, reason: "deleted" });
    expect(pushes).toMatchObject([{ head: ZERO, before: A }]);
  });

  it.each([[{ project: undefined }], [{ ref: null }], [{ after: null }]])("a push with %j is refused", async (more) => {
    const { answer, pushes } = await send(push(more), token);
    expect([answer.status, pushes]).toEqual([400, []]);
  });
});
