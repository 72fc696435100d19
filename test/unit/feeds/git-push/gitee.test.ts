// Gitee's webhooks: a password, or a signature of the time alone, which is worth something only for an hour.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { A, B, clock, post, receiver, SECRET, source, ZERO } from "../pushes.ts";

function push(more: Readonly<Record<string, unknown>> = {}) {
  return {
    hook_name: "push_hooks",
    ref: "refs/heads/main",
    before: A,
    after: B,
    created: false,
    deleted: false,
    total_commits_count: 1,
    password: "",
    timestamp: String(clock.now()),
    repository: {
      id: 120249025,
      name: "游戏",
      path: "game",
      full_name: "team/game",
      path_with_namespace: "team/game",
      html_url: "https://git.example.com/team/game.git",
      git_http_url: "https://git.example.com/team/game.git",
      git_ssh_url: "git@git.example.com:team/game.git",
    },
    ...more,
  };
}

function sign(time: number, secret = SECRET): string {
  return createHmac("sha256", secret).update(`${time}\n${secret}`).digest("base64");
}

async function send(headers: Readonly<Record<string, string>>, payload: unknown = push()) {
  const { post: deliver, pushes } = receiver(source("gitee"));
  const given = { "x-gitee-event": "Push Hook", ...headers };
  return { answer: await deliver(post({ provider: "gitee", body: JSON.stringify(payload), headers: given })), pushes };
}

const now = clock.now();
const hour = 3_600_000;

it.each([
  ["a password", { "x-gitee-token": SECRET }],
  ["a signature", { "x-gitee-token": sign(now), "x-gitee-timestamp": String(now) }],
  ["an encoded signature", { "x-gitee-token": encodeURIComponent(sign(now)), "x-gitee-timestamp": String(now) }],
  ["a signature of an hour ago", { "x-gitee-token": sign(now - hour), "x-gitee-timestamp": String(now - hour) }],
])("%s lets a push in, named by its content", async (_, headers) => {
  const { answer, pushes } = await send(headers);
  expect(answer).toMatchObject({ status: 202, body: { reviewId: expect.any(String) } });
  expect(pushes).toEqual([
    {
      repository: "game",
      ref: "refs/heads/main",
      before: A,
      head: B,
      source: "gitee",
      deliveryId: expect.stringMatching(/^content:[0-9a-f]{64}$/),
    },
  ]);
});

it.each([
  ["no token", {}],
  ["a wrong password", { "x-gitee-token": `${SECRET}.` }],
  ["a stale signature", { "x-gitee-token": sign(now - hour - 1), "x-gitee-timestamp": String(now - hour - 1) }],
  ["a signature of the future", { "x-gitee-token": sign(now + hour + 1), "x-gitee-timestamp": String(now + hour + 1) }],
  ["a signature of another time", { "x-gitee-token": sign(now - 1), "x-gitee-timestamp": String(now) }],
  ["a signature without a time", { "x-gitee-token": sign(now) }],
  ["another secret's", { "x-gitee-token": sign(now, "other"), "x-gitee-timestamp": String(now) }],
  ["half an escape", { "x-gitee-token": "%", "x-gitee-timestamp": String(now) }],
])("abuse 1: %s is refused", async (_, headers) => {
  const { answer, pushes } = await send(headers);
  expect([answer.status, pushes]).toEqual([401, []]);
});

describe("events", () => {
  const headers = { "x-gitee-token": SECRET };

  it("a tag is a push", async () => {
    const payload = push({ ref: "refs/tags/v1", before: ZERO, hook_name: "tag_push_hooks" });
    const { pushes } = await send({ ...headers, "x-gitee-event": "Tag Push Hook" }, payload);
    expect(pushes).toMatchObject([{ ref: "refs/tags/v1", head: B }]);
  });

  it("E1: a deletion has no review", async () => {
    const { answer } = await send(headers, push({ after: ZERO, deleted: true }));
    expect(answer.body).toEqual({ accepted: true, reason: "deleted" });
  });

  it("a try of the address accepts nothing", async () => {
    const { answer, pushes } = await send({ ...headers, "x-gitee-ping": "true" });
    expect([answer.body, pushes]).toEqual([{ accepted: true, reason: "ping" }, []]);
  });

  it("others are left alone, and a push has its form", async () => {
    const note = await send({ ...headers, "x-gitee-event": "Note Hook" });
    expect(note.answer.body).toEqual({ accepted: true, reason: "not_a_push" });
    expect((await send(headers, push({ repository: {} }))).answer.status).toBe(401);
    expect((await send(headers, push({ ref: 1 }))).answer.status).toBe(400);
  });
});
